/**
 * Runaway detector: reads a growing text, and tells when it repeats itself without end. Linear time,
 * bounded memory. Pure.
 */
import { blockKindOf } from './block-kind.ts';
import { JsonPosition } from './json-position.ts';
import {
  MAX_BLOCKS,
  MAX_DIGITS,
  MAX_FILLING,
  MAX_ITEMS,
  MAX_KEPT_DIGITS,
  MAX_PIECE,
  MAX_REPEATED,
  MAX_SPACES,
  MAX_TAIL,
  MAX_WATCHED,
  SPACES_OF_LEVEL,
  STRIDE,
  WINDOWS,
} from './runaway-bounds.ts';

/** Repeated part of a text. */
export type RunawayKind = 'spaces' | 'digits' | 'block' | 'item';

/** Facts about a text. */
export interface RunawayRules {
  /** True if JSON was asked for. Another text is read as JSON if it begins as an object. */
  readonly isJson: boolean;
  /** True if the caller gets the digits of a number as they were written. @default false */
  readonly keepsDigits?: boolean;
  /** Strings of the schema's enums. They can be right in any number. @default none */
  readonly known?: ReadonlySet<string>;
}

export class RunawayDetector {
  readonly #position: JsonPosition;
  #tail = '';
  #isWatched = true;
  #found: RunawayKind | undefined;
  #longest: FoundRun | undefined;

  readonly #maxDigits: number;

  constructor({ isJson, keepsDigits = false, known = new Set() }: RunawayRules) {
    this.#position = new JsonPosition((text) => known.has(text), isJson);
    this.#maxDigits = keepsDigits ? MAX_KEPT_DIGITS : MAX_DIGITS;
  }

  /** Adds a piece. Returns what the text repeats, at the latest `STRIDE` characters after a bound. */
  push(piece: string): RunawayKind | undefined {
    if (piece.length > MAX_PIECE || this.#position.at > MAX_WATCHED) this.#isWatched = false;
    if (!this.#isWatched) return undefined;
    for (let from = 0; from < piece.length && this.#found === undefined;) {
      const until = from + STRIDE - (this.#position.at % STRIDE);
      const part = piece.slice(from, until);
      from = until;
      this.#tail += part;
      this.#found = this.#follow(part) ?? this.#search();
      if (this.#tail.length > 2 * MAX_TAIL) this.#tail = this.#tail.slice(-MAX_TAIL);
    }
    return this.#found;
  }

  #follow(part: string): RunawayKind | undefined {
    const position = this.#position;
    for (let index = 0; index < part.length; index += 1) {
      position.take(part.charAt(index));
      if (position.isText) continue;
      if (position.digits > this.#maxDigits) return 'digits';
      if (position.spaces > MAX_SPACES && position.spaces > position.depth * SPACES_OF_LEVEL) return 'spaces';
    }
    return undefined;
  }

  /** Searches only where a search is due, so that the work stays linear. */
  #search(): RunawayKind | undefined {
    for (const { size, every } of WINDOWS) {
      if (this.#position.at % every !== 0) continue;
      const window = this.#tail.slice(-size);
      for (const run of tailRuns(window, { times: MAX_BLOCKS, least: MAX_REPEATED })) {
        const found = this.#judge(this.#extended(run), window);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** A repetition can be longer than the kept text. */
  #extended({ period, length }: TailRun): TailRun {
    const { at } = this.#position;
    const from = at - length;
    const known = this.#longest;
    const isSame = known?.period === period && from + period <= known.until;
    const run = { period, from: isSame ? Math.min(known.from, from) : from, until: at };
    if (isSame || known === undefined || known.until < at || run.from < known.from) this.#longest = run;
    return { period, length: at - run.from };
  }

  #judge({ period, length }: TailRun, window: string): RunawayKind | undefined {
    const { at, isText, stringFrom = at, lastSaid } = this.#position;
    const block = window.slice(-period);
    if (isText || length <= at - stringFrom) {
      const kind = blockKindOf(block);
      // They can have any length, up to the bound of the answer.
      if (kind === 'encoded') return undefined;
      return length > (kind === 'phrase' ? MAX_REPEATED : MAX_FILLING) ? 'block' : undefined;
    }
    if (!this.#position.repeatsItems(at - length, period)) {
      return block.includes(':') || length > MAX_FILLING ? 'block' : undefined;
    }
    if (length <= MAX_ITEMS * period) return undefined;
    return length > (lastSaid > at - 2 * period ? MAX_REPEATED : MAX_FILLING) ? 'item' : undefined;
  }
}

/** A repetition, by its positions. */
interface FoundRun {
  readonly period: number;
  readonly from: number;
  readonly until: number;
}

/** A repetition that reaches the end of the text. */
interface TailRun {
  /** Characters of the block. The shortest that explains the repetition. */
  readonly period: number;
  /** Characters of the whole repetition. The first block can be a part. */
  readonly length: number;
}

/** Characters at the end of a text. A repetition has them again, one block before: most texts do not. */
const SEEN_AGAIN = 16;

/**
 * Returns the repetitions with at least `times` blocks and `least` characters, the shortest first. Linear:
 * it computes the borders of the reversed text, as the search by Knuth, Morris and Pratt does.
 */
function tailRuns(
  text: string,
  { times, least }: { readonly times: number; readonly least: number },
): readonly TailRun[] {
  const { length: size } = text;
  if (size < least) return [];
  const blocksBefore = text.slice(-SEEN_AGAIN - Math.floor(size / times), -1);
  if (!blocksBefore.includes(text.slice(-SEEN_AGAIN))) return [];
  const borders = new Int32Array(size);
  const runs: TailRun[] = [];
  const keep = (period: number, length: number): void => {
    if (length >= least && length >= times * period) runs.push({ period, length });
  };
  let period = 1;
  for (let at = 1, border = 0; at < size; at += 1) {
    const next = text.charCodeAt(size - 1 - at);
    while (border > 0 && next !== text.charCodeAt(size - 1 - border)) border = borders[border - 1] ?? 0;
    if (next === text.charCodeAt(size - 1 - border)) border += 1;
    borders[at] = border;
    if (at + 1 - border === period) continue;
    keep(period, at);
    period = at + 1 - border;
  }
  keep(period, size);
  return runs;
}
