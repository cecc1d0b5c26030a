/**
 * Owns which text is the match for a JSON answer: candidates, held closings, and the last match that was sealed.
 *
 * opening → candidate (a JSON reader over what follows) → closing: seals the earliest complete one, is held while one is in a string, else seals an invalid match.
 *
 * Whenever an opening is read, each live candidate must be inside a string (outside of one, `<` is no JSON), and the quotes that follow flip all of them together:
 * so at most two are ever live, and each character costs constant work however many openings there are. Dead ones are forgotten but for the latest opening.
 */
import { JsonReader } from './json-reader.ts';
import { createPreview, type Preview } from './preview.ts';
import { createRetainedText, type RetainedText } from './retained-text.ts';
import type { Candidate, Draft, ScanOutcome, Span, TagScanner } from './tag-matches.ts';

/** A closing that may be a part of a string. */
interface HeldClosing {
  readonly position: number;
  /** The latest opening before it. */
  readonly opening: Candidate;
}

interface Match {
  /** Undefined when it is larger than the limit. */
  readonly raw: string | undefined;
  readonly span: Span;
}

/** Finds the match of a JSON answer between `<tag>` and `</tag>`. */
export class JsonTagScanner implements TagScanner {
  readonly #opening: string;
  readonly #closing: string;
  readonly #maxChars: number;
  readonly #retained: RetainedText = createRetainedText();
  readonly #preview: Preview = createPreview();
  #live: Candidate[] = [];
  #latest: Candidate | undefined;
  #held: HeldClosing[] = [];
  #match: Match | undefined;
  /** The candidate of the latest match, when it was complete. */
  #sealed: Candidate | undefined;

  /** @param maxChars - content of more UTF-16 units is not kept */
  constructor(tag: string, maxChars: number) {
    this.#opening = `<${tag}>`;
    this.#closing = `</${tag}>`;
    this.#maxChars = maxChars;
  }

  get wantsClosings(): boolean {
    return this.#latest !== undefined;
  }

  text(text: string, from: number, to: number, position: number): void {
    if (this.#latest === undefined) return;
    let hasDied = false;
    for (const { reader } of this.#live) {
      reader.read(text, from, to);
      hasDied ||= reader.isDead;
    }
    this.#retain(text, from, to, position);
    if (!hasDied) return;
    this.#live = this.#live.filter(({ reader }) => !reader.isDead);
    this.#settle(false);
    this.#forget();
  }

  open(position: number): void {
    this.text(this.#opening, 0, this.#opening.length, position);
    this.#latest = { start: position + this.#opening.length, reader: new JsonReader(), isTooLarge: false };
    this.#live.push(this.#latest);
    this.#forget();
  }

  close(position: number): void {
    const latest = this.#latest;
    if (latest === undefined) return;
    const complete = this.#live.find(({ reader }) => reader.isComplete);
    if (complete === undefined && this.#live.some(({ reader }) => reader.isInString)) {
      this.#hold(position, latest);
      this.text(this.#closing, 0, this.#closing.length, position);
      return;
    }
    this.#sealed = complete ?? this.#sealed;
    this.#live = [];
    this.#held = [];
    this.#seal(complete ?? latest, position);
  }

  finish(position: number): ScanOutcome {
    this.#settle(true);
    const begun = this.#live.filter(({ reader }) => reader.isBegun);
    if (this.#latest !== undefined && begun.length > 0) {
      const { raw, span } = this.#contentOf(this.#latest, position);
      return { type: 'truncated', raw: begun.some(({ isTooLarge }) => isTooLarge) ? undefined : raw, span };
    }
    if (this.#match === undefined) return { type: 'none' };
    return { type: 'match', ...this.#match, isUnclosedAfter: this.#latest !== undefined };
  }

  partial(): Draft {
    const begun = this.#live.find(({ reader }) => reader.isBegun);
    if (begun === undefined) return this.#preview.of(this.#sealed, () => this.#match?.raw ?? '');
    return this.#preview.of(begun, () => this.#retained.slice(begun.start, Number.POSITIVE_INFINITY));
  }

  #contentOf({ start, isTooLarge }: Candidate, end: number): Match {
    const isKept = !isTooLarge && end - start <= this.#maxChars;
    return { raw: isKept ? this.#retained.slice(start, end) : undefined, span: { start, end } };
  }

  #seal(candidate: Candidate, end: number): void {
    this.#match = this.#contentOf(candidate, end);
    this.#live = this.#live.filter(({ start }) => start > end);
    this.#held = this.#held.filter(({ position }) => position > end);
    if (this.#latest !== undefined && this.#latest.start <= end) this.#latest = undefined;
    this.#forget();
  }

  /** Of two held closings that the same candidates hold, both seal together and the later one wins: it alone is kept. */
  #hold(position: number, opening: Candidate): void {
    const before = this.#held.at(-1);
    if (before?.opening === opening) return;
    if (before !== undefined && !this.#live.some(({ start }) => start > before.position)) this.#held.pop();
    this.#held.push({ position, opening });
  }

  /** Seals the held closings whose live candidates are all gone, in order. */
  #settle(isEnd: boolean): void {
    for (let [first] = this.#held; first !== undefined; [first] = this.#held) {
      const { position, opening } = first;
      if (!isEnd && this.#live.some(({ start }) => start <= position)) return;
      this.#seal(opening, position);
    }
  }

  /** Whose content may be needed: a handful at most. */
  #wanted(): Candidate[] {
    const latest = this.#latest === undefined ? [] : [this.#latest];
    return [...this.#live, ...latest, ...this.#held.map(({ opening }) => opening)];
  }

  #forget(): void {
    const starts = this.#wanted().map(({ start, isTooLarge }) =>
      isTooLarge ? Number.POSITIVE_INFINITY : start,
    );
    this.#retained.dropBefore(Math.min(...starts));
  }

  #retain(text: string, from: number, to: number, position: number): void {
    const end = position + to - from;
    let isWanted = false;
    for (const candidate of this.#wanted()) {
      if (!candidate.isTooLarge && end - candidate.start > this.#maxChars) {
        candidate.isTooLarge = true;
        this.#forget();
      }
      isWanted ||= !candidate.isTooLarge;
    }
    if (isWanted) this.#retained.push(text.slice(from, to), position);
  }
}
