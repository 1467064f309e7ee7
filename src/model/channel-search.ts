import { foldLetters } from '../kernel/folded.ts';

/**
 * What the directory is searched by. Words are made here and not by the database, so that both engines, whatever their
 * locale and dictionaries, find the same: lower case, without accents, letters and digits only.
 *
 * A search matches beginnings of words. Words of a channel's name, slug, category and merchant are kept with all their
 * endings of three letters and more, so that "coin" finds "Bitcoin" there too; the bio is kept by whole words.
 */
interface SearchedText {
  slug: string;
  name: string;
  category: string | null;
  merchantName: string | null;
  bio: string | null;
}

const shortestEnding = 3;
/** Longer words are cut; nobody types them. */
const longestWord = 40;
/** A search of more words uses the first. */
const mostWords = 8;

/** The words a channel is found by, each once. */
export function searchWords({ slug, name, category, merchantName, bio }: SearchedText): string[] {
  const named = wordsOf([slug, name, category ?? '', merchantName ?? ''].join(' ')).flatMap(endingsOf);
  return [...new Set([...named, ...wordsOf(bio ?? '')])];
}

/**
 * A search as a tsquery of its own syntax: every word must begin a word of the channel.
 * @returns undefined when there is nothing to search for.
 */
export function searchQuery(text: string): string | undefined {
  const words = wordsOf(text).slice(0, mostWords);
  // Letters and digits only, so quoting needs no more than quotes.
  return words.length === 0 ? undefined : words.map((word) => `'${word}':*`).join(' & ');
}

function wordsOf(text: string): string[] {
  return (foldLetters(text).match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => [...word].slice(0, longestWord).join(''));
}

function endingsOf(word: string): string[] {
  const letters = [...word];
  const endings = letters.length - shortestEnding + 1;
  return endings < 1 ? [word] : Array.from({ length: endings }, (_, start) => letters.slice(start).join(''));
}
