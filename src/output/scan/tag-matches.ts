/** Owns the ports of a scanner: what it is given, and what it found. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';
import type { JsonReader } from './json-reader.ts';

/** Where the content of a match stands in the whole text, in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The content of a match. */
export interface Match {
  /** Undefined when it is larger than the limit. */
  readonly raw: string | undefined;
  readonly span: Span;
}

/** What stands for the answer in a text that has ended. */
export type ScanOutcome =
  | { readonly type: 'none' }
  | ({ readonly type: 'match'; readonly isUnclosedAfter: boolean } & Match)
  | ({ readonly type: 'truncated' } & Match);

/** The answer so far. */
export interface Draft {
  readonly value: JsonValue | undefined;
  /** Grows by one when the preview begins anew. */
  readonly draft: number;
}

/** Takes the text between tags, and the tags, in order. */
export interface TagHandler {
  /** Takes plain text; `position` is where `text[from]` stands in the whole. */
  text(text: string, from: number, to: number, position: number): void;
  /** Takes `<tag>`; `position` is where its `<` stands. */
  open(position: number): void;
  /** Takes `</tag>`; `position` is where its `<` stands. */
  close(position: number): void;
  /** False while a closing tag means nothing, so that none needs to be looked for. */
  readonly wantsClosings: boolean;
}

/** Finds the match of an answer. */
export interface MatchScanner extends TagHandler {
  /** Judges the text when it has ended at `position`. */
  finish(position: number): ScanOutcome;
  partial(): Draft;
}

/** An opening that may turn out to open the answer. */
export interface Candidate {
  /** Where its content begins. */
  readonly start: number;
  reader: JsonReader;
  /** True once a closing tag has made it a match. */
  isSealed: boolean;
}
