/** Owns the ports of a scanner: what it is given, and what it found. Pure. */
import type { JsonReader } from './json-reader.ts';

/** Where the content of a match stands in the whole text, in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What stands for the answer in a text that has ended. */
export type ScanOutcome =
  | { readonly type: 'none' }
  /** `raw` is undefined when it is larger than the limit. */
  | {
      readonly type: 'match';
      readonly raw: string | undefined;
      readonly span: Span;
      readonly isUnclosedAfter: boolean;
    }
  | { readonly type: 'truncated'; readonly raw: string | undefined; readonly span: Span };

/** The answer so far. */
export interface Draft {
  readonly value: unknown;
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
export interface TagScanner extends TagHandler {
  /** Judges the text when it has ended at `position`. */
  finish(position: number): ScanOutcome;
  partial(): Draft;
}

/** An opening that may turn out to open the answer. */
export interface Candidate {
  /** Where its content begins. */
  readonly start: number;
  reader: JsonReader;
  /** True when its content is larger than the limit: it is read on, and not kept. */
  isTooLarge: boolean;
}
