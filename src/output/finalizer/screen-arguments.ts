/**
 * Screening of tool call arguments as text: size, shape, keys, characters. Also locates the answer
 * in them. Pure.
 */
import { parseJson } from '../json/parse-json.ts';
import { isLongerThan } from '../json/utf8-length.ts';
import { FINALIZER_KEY } from './finalizer-tool.ts';
import { unquote, walkJson } from '../../schema/json-text/walk-json.ts';

/** Limits of the arguments. */
export interface FinalizerLimits {
  /** Size in bytes of UTF-8, the envelope included. @default 262144 */
  readonly maxBytes: number;
  /** Nesting depth of arrays and objects. @default 64 */
  readonly maxDepth: number;
  /** Total of arrays, objects, strings, numbers and literals, without keys. @default 20000 */
  readonly maxValues: number;
}

/** Enough for a long report, and small enough that keeping a checked answer costs nothing. */
export const DEFAULT_FINALIZER_LIMITS: FinalizerLimits = {
  maxBytes: 256 * 1024,
  maxDepth: 64,
  maxValues: 20_000,
};

/** The submitted answer, or the reason why it is not validated. */
export type ScreenedArguments =
  | {
      readonly type: 'screened';
      readonly value: unknown;
      /** The answer's unchanged text, in which numbers keep all their digits. */
      readonly raw: string;
    }
  | { readonly type: 'too-large' }
  /** JSON, but not `{ "output": … }`. */
  | { readonly type: 'not-enveloped' }
  | { readonly type: 'malformed'; readonly reason: string; readonly cause: unknown };

/** Screens the unchanged arguments `{ "output": … }`. Never throws. Linear in the text's length. */
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

/** A number, from its first character. */
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
      // Assumed to be the envelope's only value. That is checked at the end.
      if (depth === 1) answer.start = start;
      if (values > limits.maxValues) return `more than ${limits.maxValues} values`;
      NUMBER.lastIndex = start;
      // A number that parses to infinity could neither be validated nor serialized again.
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
        ? `the key \`${key.slice(0, 60)}\` is repeated in an object`
        : undefined;
    },
    string: (token) => describeCharacters(token),
  };
}

/** Neither can be stored or transmitted reliably everywhere. A model never intends them. */
function describeCharacters(token: string): string | undefined {
  const text = unquote(token);
  if (text.includes('\0')) return 'a string contains the NUL character';
  return text.isWellFormed() ? undefined : 'a string contains half of a surrogate pair';
}

function isEnvelope(value: unknown): value is { readonly [FINALIZER_KEY]: unknown } {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, FINALIZER_KEY);
}

function malformed(reason: string): ScreenedArguments {
  return { type: 'malformed', reason, cause: new SyntaxError(`Refused JSON: ${reason}`) };
}
