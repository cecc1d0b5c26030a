/** Reader of a text answer. Any text is complete, until the next opening begins another. Pure. */
import type { JsonSink } from '../../json/scan/partial-builder.ts';
import type { ContentReader } from './match-scanner.ts';

/** Reads one candidate for a text answer. Notifies a sink of the text without white space at both ends. */
export class TextReader implements ContentReader {
  readonly isDead = false;
  readonly isComplete = true;
  readonly isInString = false;
  readonly isOpened = false;
  readonly isBegun = true;
  readonly endsAtOpening = true;
  #sink: JsonSink | undefined;
  #hasText = false;
  /** White space that belongs to the answer only if more text follows. */
  #gap = '';

  constructor(sink?: JsonSink) {
    this.#sink = sink;
    sink?.beginString(false);
  }

  end(): void {
    // The text is complete already.
  }

  detach(): void {
    this.#sink = undefined;
  }

  /** Trims each piece separately: trimming the whole text per piece would be quadratic. */
  read(text: string, from: number, to: number): void {
    if (this.#sink === undefined) return;
    const piece = text.slice(from, to);
    const lead = this.#hasText ? piece : piece.trimStart();
    const body = lead.trimEnd();
    if (body !== '') {
      this.#sink.stringPiece(this.#gap + body);
      this.#gap = '';
      this.#hasText = true;
    }
    if (this.#hasText) this.#gap += lead.slice(body.length);
  }
}
