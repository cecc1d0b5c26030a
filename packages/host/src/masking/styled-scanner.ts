/**
 * Styled text scanner: masks secrets in text with terminal escape sequences, also those that a
 * sequence splits. Viewers remove or apply the sequences, so a reader would see the whole secret.
 */
import type { SecretScanner } from './secret-scanner.ts';

interface Sequence {
  /** Number of visible characters before the sequence. */
  readonly at: number;
  readonly text: string;
}

const ESCAPE = '\u001B';
/** Control sequences such as colors. Longer ones are scanned as text. */
const SEQUENCE = new RegExp(`${ESCAPE}\\[[0-9:;<=>?]{0,30}[@-~]`, 'gu');
const BEGUN_SEQUENCE = new RegExp(`${ESCAPE}(?:\\[[0-9:;<=>?]{0,30})?$`, 'u');
/** Limits the sequences that wait for the text before them. Further ones are scanned as text. */
const MAX_WAITING_CHARS = 4_096;

/** Scans one text. Sequences are written unchanged, at their place in the masked text. */
export class StyledScanner {
  readonly #scanner: SecretScanner;
  #waiting: Sequence[] = [];
  #waitingChars = 0;
  #begun = '';
  /** Visible characters that were accepted, and those that were returned. */
  #accepted = 0;
  #returned = 0;

  constructor(scanner: SecretScanner) {
    this.#scanner = scanner;
  }

  /** Accepts a piece. Returns the decided text. */
  push(chunk: string): string {
    const text = this.#begun + chunk;
    this.#begun = text.includes(ESCAPE) ? (BEGUN_SEQUENCE.exec(text)?.[0] ?? '') : '';
    return this.#interleave(
      this.#scanner.push(this.#visible(text.slice(0, text.length - this.#begun.length))),
    );
  }

  /** Returns the text that was held back. */
  end(): string {
    const begun = this.#begun;
    this.#begun = '';
    this.#accepted += begun.length;
    return this.#interleave(this.#scanner.push(begun) + this.#scanner.end());
  }

  #visible(text: string): string {
    const visible = text.includes(ESCAPE) ? this.#withoutSequences(text) : text;
    this.#accepted += visible.length;
    return visible;
  }

  #withoutSequences(text: string): string {
    let removed = 0;
    return text.replaceAll(SEQUENCE, (sequence, offset: number) => {
      if (this.#waitingChars + sequence.length > MAX_WAITING_CHARS) return sequence;
      this.#waiting.push({ at: this.#accepted + offset - removed, text: sequence });
      this.#waitingChars += sequence.length;
      removed += sequence.length;
      return '';
    });
  }

  #interleave(masked: string): string {
    const from = this.#returned;
    this.#returned += masked.length;
    let text = '';
    let at = 0;
    let count = 0;
    for (const sequence of this.#waiting) {
      if (sequence.at > this.#returned) break;
      text += masked.slice(at, sequence.at - from) + sequence.text;
      at = sequence.at - from;
      this.#waitingChars -= sequence.text.length;
      count += 1;
    }
    this.#waiting.splice(0, count);
    return text + masked.slice(at);
  }
}
