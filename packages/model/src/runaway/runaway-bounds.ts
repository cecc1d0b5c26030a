/** Bounds of a reply that runs away, for every route. A reply that passes one is ended (ADR 0175). */

/** Characters of white space in a row, between tokens of JSON. */
export const MAX_SPACES = 256;
/** Characters of indentation that a level of nesting explains. */
export const SPACES_OF_LEVEL = 8;
/** Digits of one number of JSON. A double keeps 17. */
export const MAX_DIGITS = 64;
/** The same where the caller gets the digits as they were written, as from a chat. */
export const MAX_KEPT_DIGITS = 1_024;
/** Repetitions of a block of a text, or of members and levels of JSON. */
export const MAX_BLOCKS = 20;
/** Repetitions of an item, or of several, of a list. */
export const MAX_ITEMS = 50;
/** Characters of a repetition. Fewer cost little, and can be right. */
export const MAX_REPEATED = 2_000;
/** The same for a filling: zeros, blanks, members of an enum, and blocks shorter than a phrase. */
export const MAX_FILLING = 120_000;
/** Characters of the shortest phrase. */
export const SHORTEST_PHRASE = 6;

/** Characters at the end of a reply in which repetitions are searched, and how often. */
export const WINDOWS: readonly { readonly size: number; readonly every: number }[] = [
  { size: 2_560, every: 256 },
  { size: 8_192, every: 1_024 },
  { size: 32_768, every: 4_096 },
];
/** Characters that are kept of a reply. */
export const MAX_TAIL = 32_768;
/** A longer piece was not written token by token: no time of an engine can be saved. */
export const MAX_PIECE = 16_384;
/** Characters of a text that are watched. More fit in the window of few models. */
export const MAX_WATCHED = 1_048_576;
/** Characters between two searches. */
export const STRIDE = 256;
