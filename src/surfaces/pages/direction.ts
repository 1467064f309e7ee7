/** Which way a language is written, as the attribute `dir` of a page says it. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

const embeddings = /[\u202a-\u202e\u2066-\u2069]/g;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Dictionaries by language, whose sentences keep what is put into them apart: a name or an amount that runs against the
 * sentence must not turn around what stands beside it (UAX #9, 6.3). Where nothing can turn, nothing is added.
 */
export function keepTextsApart<ByLanguage extends Readonly<Record<string, object>>>(
  dictionaries: ByLanguage,
): ByLanguage {
  const entries = Object.entries(dictionaries);
  return Object.fromEntries(
    entries.map(([language, words]) => [language, withTextsApart(words, directionOf(language) === 'rtl')]),
  ) as ByLanguage;
}

function withTextsApart(words: object, isRtl: boolean): object {
  const keep = (value: unknown): unknown => {
    if (typeof value === 'function') {
      return (...given: unknown[]) => value(...given.map((one) => (typeof one === 'string' ? apart(one, isRtl) : one)));
    }
    return typeof value === 'object' && value !== null ? withTextsApart(value, isRtl) : value;
  };
  return Object.fromEntries(Object.entries(words).map(([name, value]) => [name, keep(value)]));
}

function apart(text: string, isRtl: boolean): string {
  // An override in a name would reach to the end of the line, and out of its isolate.
  const own = text.replace(embeddings, '');
  const mayTurn = isRtl ? /\p{L}/u.test(own) : rightToLeft.test(own);
  return mayTurn ? `\u2068${own}\u2069` : own;
}
