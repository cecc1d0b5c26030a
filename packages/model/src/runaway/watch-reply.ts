/** Watch of one reply: its texts, its reasoning and the arguments of its calls, each for itself. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { MAX_BLOCKS, MAX_DIGITS, MAX_ITEMS, MAX_SPACES } from './runaway-bounds.ts';
import { RunawayDetector, type RunawayKind } from './runaway-detector.ts';

export interface WatchedReply {
  /** False to take a reply as it comes. @default true */
  readonly endRunaways?: boolean | undefined;
  /** True if the text is asked for as JSON. */
  readonly isJson: boolean;
  /** True if the caller gets the digits of a number as they were written. @default false */
  readonly keepsDigits?: boolean;
  /** Schemas that the request contains. */
  readonly schemas: readonly unknown[];
}

/** A piece of a stream. Other pieces are ignored. */
export type WatchedPiece =
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'tool-input-delta'; readonly id: string; readonly delta: string };

export interface ReplyWatch {
  /** Takes a piece. Returns what the reply repeats, in words, as soon as it runs away. */
  take(piece: WatchedPiece | { readonly type: string }): string | undefined;
}

/** Texts that are open at once. A stream that opens more forgets the oldest. */
const MAX_OPEN = 32;

const WORDS: Readonly<Record<RunawayKind, string>> = {
  spaces: `more than ${MAX_SPACES} characters of white space between tokens`,
  digits: `a number with more than ${MAX_DIGITS} digits`,
  block: `the same text more than ${MAX_BLOCKS} times`,
  item: `the same items of a list more than ${MAX_ITEMS} times`,
};

export function watchReply({
  endRunaways = true,
  isJson,
  keepsDigits = false,
  schemas,
}: WatchedReply): ReplyWatch {
  if (!endRunaways) return { take: () => undefined };
  const open = new Map<string, RunawayDetector>();
  let known: ReadonlySet<string> | undefined;
  const detectorOf = ({ type, id }: WatchedPiece): RunawayDetector => {
    const key = `${type} ${id}`;
    const found = open.get(key);
    if (found !== undefined) return found;
    known ??= new Set(schemas.flatMap((schema) => enumTexts(schema)));
    const isJsonPiece = type === 'tool-input-delta' || (type === 'text-delta' && isJson);
    const made = new RunawayDetector({ isJson: isJsonPiece, keepsDigits, known });
    const [oldest] = open.keys();
    if (open.size >= MAX_OPEN && oldest !== undefined) open.delete(oldest);
    open.set(key, made);
    return made;
  };
  return {
    take(piece) {
      if (!isWatched(piece)) return undefined;
      const kind = detectorOf(piece).push(piece.type === 'tool-input-delta' ? piece.delta : piece.text);
      return kind === undefined ? undefined : WORDS[kind];
    },
  };
}

function isWatched(piece: { readonly type: string }): piece is WatchedPiece {
  return ['text-delta', 'reasoning-delta', 'tool-input-delta'].includes(piece.type);
}

/** More values of a schema are not read. */
const MAX_VALUES = 20_000;

/** Returns the strings of `enum` and `const`, wherever they are. */
function enumTexts(schema: unknown): readonly string[] {
  const texts: string[] = [];
  const left: unknown[] = [schema];
  for (let read = 0; read < MAX_VALUES && left.length > 0; read += 1) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const parts: readonly unknown[] = Object.values(value);
    left.push(...parts.slice(0, MAX_VALUES));
    if (!isRecord(value)) continue;
    const { enum: members, const: only } = value;
    const given: readonly unknown[] = Array.isArray(members) ? members : [];
    for (const each of [only, ...given]) if (typeof each === 'string') texts.push(each);
  }
  return texts;
}
