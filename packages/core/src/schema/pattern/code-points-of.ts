/** Code point access to a string, in both directions. Pure. */
import { WORD_SET } from './code-set.ts';

/** Returns true for a code point of `\w`. False for -1, an end of the text. */
export function isWord(codePoint: number): boolean {
  return codePoint >= 0 && WORD_SET.has(codePoint);
}

/** Returns the number of UTF-16 units of a code point. */
export function widthOf(codePoint: number): number {
  return codePoint > 0xff_ff ? 2 : 1;
}

/** Returns true if a surrogate pair begins at a position. */
export function isPairAt(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1));
}

/** Returns the code point at a position, -1 at the end. */
export function codePointAt(text: string, at: number): number {
  if (at >= text.length) return -1;
  const unit = text.charCodeAt(at);
  return isHigh(unit) ? (text.codePointAt(at) ?? -1) : unit;
}

/** Returns the code point that ends at a position, -1 at the start. */
export function codePointBefore(text: string, at: number): number {
  if (at === 0) return -1;
  const unit = text.charCodeAt(at - 1);
  return isLow(unit) && at > 1 && isHigh(text.charCodeAt(at - 2)) ? (text.codePointAt(at - 2) ?? -1) : unit;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff;
}
