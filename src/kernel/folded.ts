/** Letters of Latin scripts that Unicode takes for letters of their own and not for one with an accent. */
const plainLetters: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/** Text as people type it who do without capitals and accents. */
export function foldLetters(text: string): string {
  const lower = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return lower.replace(/[łøđðħŧıßæœþ]/g, (letter) => plainLetters[letter]!);
}
