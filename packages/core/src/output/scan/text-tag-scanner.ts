/**
 * Match selection for text answers: the latest opening with a closing after it, up to the first
 * such closing. Pure.
 */
import { GrowingText } from './growing-text.ts';
import { RetainedText } from './retained-text.ts';
import type { Draft, Match, MatchScanner, ScanOutcome } from './tag-matches.ts';

/** Finds the match of a text answer between `<tag>` and `</tag>`. */
export class TextTagScanner implements MatchScanner {
  readonly #openingChars: number;
  readonly #maxChars: number;
  readonly #retained = new RetainedText();
  /** Start of the current opening's content. */
  #start: number | undefined;
  #isTooLarge = false;
  #match: Match | undefined;
  #draft = 0;
  /** The preview is built from the first request on. */
  #isPreviewed = false;
  #preview = new GrowingText();
  /** Trailing white space of the preview: it belongs to the answer only if more text follows. */
  #previewGap = new GrowingText();

  /** @param maxChars - longer content, in UTF-16 units, is discarded */
  constructor(tag: string, maxChars: number) {
    this.#openingChars = `<${tag}>`.length;
    this.#maxChars = maxChars;
  }

  get wantsClosings(): boolean {
    return this.#start !== undefined;
  }

  text(text: string, from: number, to: number, position: number): void {
    if (this.#start === undefined || this.#isTooLarge) return;
    this.#isTooLarge = position + to - from - this.#start > this.#maxChars;
    if (this.#isTooLarge) {
      this.#retained.dropBefore(Number.POSITIVE_INFINITY);
      return;
    }
    const piece = text.slice(from, to);
    this.#retained.push(piece, position);
    if (this.#isPreviewed) this.#grow(piece);
  }

  open(position: number): void {
    this.#begin(position + this.#openingChars);
    this.#preview = new GrowingText();
    this.#previewGap = new GrowingText();
    this.#draft += 1;
  }

  close(position: number): void {
    const start = this.#start;
    if (start === undefined) return;
    const raw = this.#isTooLarge ? undefined : this.#retained.slice(start, position);
    this.#match = { raw, span: { start, end: position } };
    this.#begin(undefined);
  }

  finish(): ScanOutcome {
    if (this.#match === undefined) return { type: 'none' };
    return { type: 'match', ...this.#match, isUnclosedAfter: this.#start !== undefined };
  }

  partial(): Draft {
    if (!this.#isPreviewed) {
      this.#isPreviewed = true;
      this.#grow(this.#contentSoFar());
    }
    return { value: this.#draft === 0 ? undefined : this.#preview.toString(), draft: this.#draft };
  }

  #contentSoFar(): string {
    if (this.#start === undefined) return this.#match?.raw ?? '';
    return this.#retained.slice(this.#start, Number.POSITIVE_INFINITY);
  }

  #begin(start: number | undefined): void {
    this.#start = start;
    this.#isTooLarge = false;
    this.#retained.dropBefore(Number.POSITIVE_INFINITY);
  }

  /** Each piece is trimmed separately: trimming the whole text per piece would be quadratic. */
  #grow(piece: string): void {
    const lead = this.#preview.length === 0 ? piece.trimStart() : piece;
    const body = lead.trimEnd();
    if (body !== '') {
      this.#preview.push(this.#previewGap.toString());
      this.#preview.push(body);
      this.#previewGap = new GrowingText();
    }
    if (this.#preview.length > 0) this.#previewGap.push(lead.slice(body.length));
  }
}
