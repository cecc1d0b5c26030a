/** Tells text from data: zeros, blanks, encoded bytes and empty cells can be right in any number. Pure. */
import { SHORTEST_PHRASE } from './runaway-bounds.ts';

/** White space, or one sign such as `!`. No answer has thousands in a row. */
const SIGN = /^(?:\s+|[^\p{L}\p{N}])$/u;
/** Base64, hexadecimal digits and names without a blank. */
const ENCODED = /^[\w+/=-]+$/u;
/** Where a block of code begins, or else one of data. */
const OPENING = /[<&\\]/u;
const SEPARATOR = /[\s,;|]/u;
const ESCAPE = /\\+(?:u[0-9a-f]{4}|.)/giu;
const CODE =
  /&\w+;|<\/?\w+\s*\/?>|0x[0-9a-f]+|\b(?:true|false|null|none|nan|undefined)\b|\b(?=\d*[a-f])[0-9a-f]{2,}\b/giu;
const WORD = /\p{L}{2}/u;
/** A date or an amount has more digits that differ than a filling. */
const FILLING_DIGITS = 4;

/** Returns true for a text with more than four digits that differ. */
export function isVaried(text: string): boolean {
  return new Set(text.match(/\d/gu)).size > FILLING_DIGITS;
}

/** Kind of a block of a text: a phrase, a filling, or bytes in another form. */
type BlockKind = 'phrase' | 'filling' | 'encoded';

/** Tells the kind of a block that is repeated. A phrase has a word, a date or an amount, or is one sign. */
export function blockKindOf(block: string): BlockKind {
  if (SIGN.test(block)) return 'phrase';
  if (ENCODED.test(block)) return 'encoded';
  if (block.length < SHORTEST_PHRASE) return 'filling';
  // A repetition can be found at any point of the block.
  const opening = block.search(OPENING);
  const begin = Math.max(0, opening === -1 ? block.search(SEPARATOR) : opening);
  const whole = block.slice(begin) + block.slice(0, begin);
  const plain = (whole + whole).replaceAll(ESCAPE, ' ').replaceAll(CODE, ' ');
  return WORD.test(plain) || isVaried(plain) ? 'phrase' : 'filling';
}
