/** Owns judging the text of a tool call's arguments before its meaning: size, shape, keys, characters; and finding the answer in it. Pure. */
import { parseJson } from '../parse-json.ts';
import { isLongerThan } from '../utf8-length.ts';
import { FINALIZER_KEY } from './finalizer-tool.ts';
import { unquote, walkJson } from './walk-json.ts';

/** How large and how deep the arguments may be. */
export interface FinalizerLimits {
  /** Bytes of UTF-8, the envelope included. @default 262144 */
  readonly maxBytes: number;
  /** Arrays and objects around a value. @default 64 */
  readonly maxDepth: number;
  /** Arrays, objects, strings, numbers and literals together, without keys. @default 20000 */
  readonly maxValues: number;
}

/** Enough for a long report; little enough that a checked answer costs nothing to keep. */
export const DEFAULT_FINALIZER_LIMITS: FinalizerLimits = {
  maxBytes: 256 * 1024,
  maxDepth: 64,
  maxValues: 20_000,
};

/** The answer that was handed in, or why it is not looked at. */
export type ScreenedArguments =
  | {
      readonly type: 'screened';
      readonly value: unknown;
      /** The answer's own text, as it was written: numbers keep all their digits. */
      readonly raw: string;
    }
  | { readonly type: 'too-large' }
  /** JSON, but not `{ "output": … }`. */
  | { readonly type: 'not-enveloped' }
  | { readonly type: 'malformed'; readonly reason: string; readonly cause: unknown };

/** Screens the arguments `{ "output": … }` as they were written. Never throws; linear in the text's length. */
export function screenArguments(text: string, limits: FinalizerLimits): ScreenedArguments {
  if (isLongerThan(text, limits.maxBytes)) return { type: 'too-large' };
  const parsed = parseJson(text);
  if (!parsed.success) return { type: 'malformed', reason: parsed.reason, cause: parsed.cause };
  const answer = { start: 0, end: 0 };
  const problem = walkJson(text, createScreen(text, limits, answer));
  if (problem !== undefined) return malformed(`${problem.reason} (at character ${problem.at})`);
  const { value } = parsed;
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length !== 1 || !isEnvelope(value)) return { type: 'not-enveloped' };
  return { type: 'screened', value: value[FINALIZER_KEY], raw: text.slice(answer.start, answer.end) };
}

/** A number, from where it begins. */
const NUMBER = /-?\d[\d.eE+-]*/uy;

function createScreen(
  text: string,
  limits: FinalizerLimits,
  answer: { start: number; end: number },
): Parameters<typeof walkJson>[1] {
  const keysOf = new WeakMap<object, Set<string>>();
  let values = 0;
  return {
    value(start, depth) {
      values += 1;
      // The envelope's only value: whether it is the only one is seen once all is read.
      if (depth === 1) answer.start = start;
      if (values > limits.maxValues) return `more than ${limits.maxValues} values`;
      NUMBER.lastIndex = start;
      // What is read as an infinity could be neither validated nor written again.
      if (!Number.isFinite(Number(NUMBER.exec(text)?.[0] ?? 0))) return 'a number is out of range';
      return depth > limits.maxDepth ? `nested deeper than ${limits.maxDepth} levels` : undefined;
    },
    ended(end, depth) {
      if (depth === 1) answer.end = end;
    },
    key(token, _depth, object) {
      const keys = keysOf.get(object) ?? new Set();
      keysOf.set(object, keys);
      const key = unquote(token);
      return keys.size === keys.add(key).size
        ? `the key \`${key.slice(0, 60)}\` stands twice in an object`
        : undefined;
    },
    string: (token) => describeCharacters(token),
  };
}

/** Neither can be stored or sent on faithfully everywhere; a model never means them. */
function describeCharacters(token: string): string | undefined {
  const text = unquote(token);
  if (text.includes('\0')) return 'a string holds the NUL character';
  return text.isWellFormed() ? undefined : 'a string holds half of a surrogate pair';
}

function isEnvelope(value: unknown): value is { readonly [FINALIZER_KEY]: unknown } {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, FINALIZER_KEY);
}

function malformed(reason: string): ScreenedArguments {
  return { type: 'malformed', reason, cause: new SyntaxError(`Refused JSON: ${reason}`) };
}
