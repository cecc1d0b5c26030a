/**
 * Owns which text is the match for a JSON answer: candidates, held closings, and the last match that was sealed.
 *
 * opening → candidate (a JSON reader over what follows) → closing: seals the earliest complete one, is held while one is in a string, else seals an invalid match.
 *
 * Whenever an opening is read, each live candidate must be inside a string (outside of one, `<` is no JSON), and the quotes that follow flip all of them together:
 * so at most two are ever live, and each character costs constant work however many openings there are. Dead ones are forgotten but for the latest opening.
 */
import { createJsonReader, type JsonReader } from './json-reader.ts';
import { createPartialBuilder } from './partial-builder.ts';
import { createRetainedText } from './retained-text.ts';
import type { Draft, ScanOutcome, Span, TagHandler } from './tag-matches.ts';

/** Finds the match of a JSON answer. */
export interface TagScanner extends TagHandler {
  /** Judges the text when it has ended at `position`. */
  finish(position: number): ScanOutcome;
  partial(): Draft;
}

/** An opening that may turn out to open the answer. */
interface Candidate {
  /** Where its content begins. */
  readonly start: number;
  reader: JsonReader;
  /** True when its content is larger than the limit: it is read on, and not kept. */
  isTooLarge: boolean;
}

/** A closing that may be a part of a string. */
interface HeldClosing {
  readonly position: number;
  /** The latest opening before it. */
  readonly opening: Candidate;
}

type Match = { readonly raw: string | undefined; readonly span: Span };

/** Makes a scanner for JSON between `<tag>` and `</tag>`; content of more than `maxChars` UTF-16 units is not kept. */
export function createJsonTagScanner(tag: string, maxChars: number): TagScanner {
  const retained = createRetainedText();
  const openingText = `<${tag}>`;
  const closingText = `</${tag}>`;
  let live: Candidate[] = [];
  let latest: Candidate | undefined;
  let held: HeldClosing[] = [];
  let match: Match | undefined;
  /** The candidate of the latest match, when it was complete. */
  let sealed: Candidate | undefined;
  const preview = createPreview();

  function contentOf({ start, isTooLarge }: Candidate, end: number): Match {
    const span = { start, end };
    return { raw: isTooLarge || end - start > maxChars ? undefined : retained.slice(start, end), span };
  }

  function seal(candidate: Candidate, end: number): void {
    match = contentOf(candidate, end);
    live = live.filter(({ start }) => start > end);
    held = held.filter(({ position }) => position > end);
    if (latest !== undefined && latest.start <= end) latest = undefined;
    forget();
  }

  /** Seals the held closings whose live candidates are all gone, in order. */
  function settle(isEnd: boolean): void {
    for (let [first] = held; first !== undefined; [first] = held) {
      const { position, opening } = first;
      if (!isEnd && live.some(({ start }) => start <= position)) return;
      seal(opening, position);
    }
  }

  /** A handful at most: two live ones, the latest opening, and those of the held closings. */
  function wanted(): Candidate[] {
    return [...live, ...(latest === undefined ? [] : [latest]), ...held.map(({ opening }) => opening)];
  }

  function forget(): void {
    const starts = wanted().map(({ start, isTooLarge }) => (isTooLarge ? Number.POSITIVE_INFINITY : start));
    retained.dropBefore(Math.min(...starts));
  }

  /** Of two held closings that the same candidates hold, both seal together and the later one wins: it alone is kept. */
  function hold(position: number, opening: Candidate): void {
    const before = held.at(-1);
    if (before?.opening === opening) return;
    if (before !== undefined && !live.some(({ start }) => start > before.position)) held.pop();
    held.push({ position, opening });
  }

  function feed(text: string, from: number, to: number, position: number): void {
    if (latest === undefined) return;
    let hasDied = false;
    for (const candidate of live) {
      candidate.reader.read(text, from, to);
      hasDied ||= candidate.reader.isDead;
    }
    retain(text, from, to, position);
    if (!hasDied) return;
    live = live.filter(({ reader }) => !reader.isDead);
    settle(false);
    forget();
  }

  function retain(text: string, from: number, to: number, position: number): void {
    const end = position + to - from;
    let isWanted = false;
    for (const candidate of wanted()) {
      if (!candidate.isTooLarge && end - candidate.start > maxChars) {
        candidate.isTooLarge = true;
        forget();
      }
      isWanted ||= !candidate.isTooLarge;
    }
    if (isWanted) retained.push(from === 0 && to === text.length ? text : text.slice(from, to), position);
  }

  return {
    get wantsClosings() {
      return latest !== undefined;
    },
    text: feed,
    open(position) {
      feed(openingText, 0, openingText.length, position);
      latest = { start: position + openingText.length, reader: createJsonReader(), isTooLarge: false };
      live.push(latest);
      forget();
    },
    close(position) {
      if (latest === undefined) return;
      const complete = live.find(({ reader }) => reader.isComplete);
      if (complete !== undefined) {
        sealed = complete;
        held = [];
        live = [];
        seal(complete, position);
      } else if (live.some(({ reader }) => reader.isInString)) {
        hold(position, latest);
        feed(closingText, 0, closingText.length, position);
      } else {
        live = [];
        seal(latest, position);
      }
    },
    finish(position) {
      settle(true);
      const unclosed = latest;
      const begun = live.filter(({ reader }) => reader.isBegun);
      if (unclosed !== undefined && begun.length > 0) {
        const { raw, span } = contentOf(unclosed, position);
        return { type: 'truncated', raw: begun.some(({ isTooLarge }) => isTooLarge) ? undefined : raw, span };
      }
      return match === undefined
        ? { type: 'none' }
        : { type: 'match', ...match, isUnclosedAfter: unclosed !== undefined };
    },
    partial() {
      const begun = live.find(({ reader }) => reader.isBegun);
      if (begun !== undefined)
        return preview.of(begun, () => retained.slice(begun.start, Number.POSITIVE_INFINITY));
      return preview.of(sealed, () => match?.raw ?? '');
    },
  };
}

interface Preview {
  /** `read` returns the candidate's content so far. */
  of(candidate: Candidate | undefined, read: () => string): Draft;
}

/** Builds the value of the draft under way, from the first time that someone asks for it. */
function createPreview(): Preview {
  let current: Candidate | undefined;
  let builder: ReturnType<typeof createPartialBuilder> | undefined;
  let draft = 0;
  return {
    of(candidate, read) {
      if (candidate !== undefined && candidate !== current && !candidate.isTooLarge) {
        current = candidate;
        builder = createPartialBuilder();
        draft += 1;
        // What came before is read once more; from here on one reader both judges and builds.
        const reader = createJsonReader(builder.sink);
        const text = read();
        reader.read(text, 0, text.length);
        candidate.reader = reader;
      }
      return { value: builder?.value, draft };
    },
  };
}
