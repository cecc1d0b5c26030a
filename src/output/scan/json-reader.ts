/**
 * Owns reading what stands between two tags as it arrives: white space, perhaps one Markdown fence, and strict JSON.
 *
 * It is complete exactly when trimming, unwrapping the fence, trimming again and `JSON.parse` would succeed; a property test holds the two to each other.
 */
import { createJsonBodyReader } from './json-body-reader.ts';
import type { JsonSink } from './json-sink.ts';

/** Reads one candidate for an answer. */
export interface JsonReader {
  /** Reads `text` from `from` (inclusive) to `to` (exclusive). */
  read(text: string, from: number, to: number): void;
  readonly isDead: boolean;
  readonly isComplete: boolean;
  readonly isInString: boolean;
  /** True from the first character of the value. */
  readonly isBegun: boolean;
  /** Characters that were read before the one that killed it. */
  readonly goodChars: number;
}

/** What stands where: lead, fence opening and its info string, white space, the value, white space, closing fence, white space. */
type Phase =
  | 'lead'
  | 'fence'
  | 'info'
  | 'info-end'
  | 'fence-lead'
  | 'body'
  | 'trail'
  | 'close'
  | 'end'
  | 'dead';

const INFO = 'json';
const MIN_FENCE_CHARS = 3;

/** Makes a reader; `sink`, where given, is told what it reads. */
export function createJsonReader(sink?: JsonSink): JsonReader {
  const body = createJsonBodyReader(sink);
  let phase: Phase = 'lead';
  let fenceChars = 0;
  let closeChars = 0;
  let infoChars = 0;
  let goodChars = 0;
  let isBegun = false;

  function begin(char: string): Phase {
    body.read(char, 0, 1);
    isBegun = !body.isDead;
    return isBegun ? 'body' : 'dead';
  }

  /** Reads one character outside of the value; returns the phase after it. */
  function around(char: string): Phase {
    switch (phase) {
      case 'lead':
        if (isWhiteSpace(char)) return 'lead';
        if (char !== '`') return begin(char);
        fenceChars = 1;
        return 'fence';
      case 'fence':
        if (char === '`') {
          fenceChars += 1;
          return 'fence';
        }
        if (fenceChars < MIN_FENCE_CHARS) return 'dead';
        if (char.toLowerCase() !== INFO.charAt(0)) return isWhiteSpace(char) ? 'fence-lead' : begin(char);
        infoChars = 1;
        return 'info';
      case 'info':
        if (char.toLowerCase() !== INFO.charAt(infoChars)) return 'dead';
        infoChars += 1;
        return infoChars === INFO.length ? 'info-end' : 'info';
      case 'info-end':
        // A word that goes on is another language.
        if (isWordCharacter(char)) return 'dead';
        return isWhiteSpace(char) ? 'fence-lead' : begin(char);
      case 'fence-lead':
        return isWhiteSpace(char) ? 'fence-lead' : begin(char);
      case 'trail':
        if (isWhiteSpace(char)) return 'trail';
        if (char !== '`' || fenceChars === 0) return 'dead';
        closeChars = 1;
        return 'close';
      case 'close':
        if (char === '`') {
          closeChars += 1;
          return 'close';
        }
        return closeChars >= fenceChars && isWhiteSpace(char) ? 'end' : 'dead';
      case 'end':
        return isWhiteSpace(char) ? 'end' : 'dead';
      default:
        return 'dead';
    }
  }

  function readBody(text: string, from: number, to: number): number {
    const stoppedAt = body.read(text, from, to);
    if (body.isDead) phase = 'dead';
    else if (stoppedAt < to) phase = 'trail';
    return stoppedAt;
  }

  return {
    read(text, from, to) {
      let at = from;
      while (at < to && phase !== 'dead') {
        if (phase === 'body') {
          at = readBody(text, at, to);
          continue;
        }
        phase = around(text.charAt(at));
        if (phase !== 'dead') at += 1;
      }
      goodChars += at - from;
    },
    get isDead() {
      return phase === 'dead';
    },
    get isComplete() {
      if (fenceChars > 0) return phase === 'end' || (phase === 'close' && closeChars >= fenceChars);
      return phase === 'trail' || (phase === 'body' && body.isWhole);
    },
    get isInString() {
      return phase === 'body' && body.isInString;
    },
    get isBegun() {
      return isBegun;
    },
    get goodChars() {
      return goodChars;
    },
  };
}

const WHITE_SPACE = /\s/u;

/** What `String.prototype.trim` takes away. */
function isWhiteSpace(char: string): boolean {
  return char === ' ' || char === '\n' || WHITE_SPACE.test(char);
}

/** What would make `json` the beginning of another word. */
export function isWordCharacter(char: string): boolean {
  return /\w/u.test(char);
}
