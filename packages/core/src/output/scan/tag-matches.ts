/** Ports of a scanner: input and result. Pure. */
import type { JsonValue } from '../../schema/json-value.ts';
import type { JsonReader } from './json-reader.ts';

/** Span of a match's content in the whole text, in UTF-16 units. `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The content of a match. */
export interface Match {
  /** Undefined if it exceeds the limit. */
  readonly raw: string | undefined;
  readonly span: Span;
}

/** The answer in a finished text. */
export type ScanOutcome =
  | { readonly type: 'none' }
  | ({ readonly type: 'match'; readonly isUnclosedAfter: boolean } & Match)
  | ({ readonly type: 'truncated' } & Match);

/** The answer so far. */
export interface Draft {
  readonly value: JsonValue | undefined;
  /** Increments when the preview restarts. */
  readonly draft: number;
}

/** Receives the text between tags, and the tags, in order. */
export interface TagHandler {
  /** Receives plain text. `position` is the position of `text[from]` in the whole text. */
  text(text: string, from: number, to: number, position: number): void;
  /** Receives `<tag>`. `position` is the position of its `<`. */
  open(position: number): void;
  /** Receives `</tag>`. `position` is the position of its `<`. */
  close(position: number): void;
  /** False while a closing tag has no meaning, so that the search for it can be skipped. */
  readonly wantsClosings: boolean;
}

/** Finds the match of an answer. */
export interface MatchScanner extends TagHandler {
  /** Evaluates the text, which ended at `position`. */
  finish(position: number): ScanOutcome;
  partial(): Draft;
}

/** An opening that can turn out to open the answer. */
export interface Candidate {
  /** Start of its content. */
  readonly start: number;
  reader: JsonReader;
  /** True after a closing tag made it a match. */
  isSealed: boolean;
}
