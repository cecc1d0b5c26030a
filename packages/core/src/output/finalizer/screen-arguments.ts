/** Screening of tool call arguments as text: shape, keys, characters. Pure. */
import type { ScreenProblem } from '../judge/judged.ts';
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

/**
 * Screens the unchanged arguments `{ "output": … }`, which are JSON. Returns the limit or rule that
 * they break. Linear in the text's length.
 */
export function screenArguments(text: string, limits: FinalizerLimits): ScreenProblem | undefined {
  const found = { code: '' };
  const problem = walkJson(text, createVisitor(text, limits, found));
  if (problem === undefined) return undefined;
  const reason = `${problem.reason} (at character ${problem.at})`;
  return { code: found.code, reason, cause: new SyntaxError(`Refused JSON: ${reason}`) };
}

/** Arguments of a call for an answer. */
export function envelope(answerText: string): string {
  return `{"${FINALIZER_KEY}":${answerText}}`;
}

/** A number, from its first character. */
const NUMBER = /-?\d[\d.eE+-]*/uy;

/** @param found - receives the code of the problem that ended the walk */
function createVisitor(
  text: string,
  limits: FinalizerLimits,
  found: { code: string },
): Parameters<typeof walkJson>[1] {
  const refuse = (code: string, reason: string): string => {
    found.code = code;
    return reason;
  };
  const keysOf = new WeakMap<object, Set<string>>();
  let values = 0;
  return {
    value(start, depth) {
      values += 1;
      if (values > limits.maxValues) return refuse('too-many-values', `more than ${limits.maxValues} values`);
      NUMBER.lastIndex = start;
      // A number that parses to infinity could neither be validated nor serialized again.
      if (!Number.isFinite(Number(NUMBER.exec(text)?.[0] ?? 0)))
        return refuse('number-range', 'a number is out of range');
      if (depth <= limits.maxDepth) return undefined;
      return refuse('too-deep', `nested deeper than ${limits.maxDepth} levels`);
    },
    ended: () => undefined,
    key(token, _depth, object) {
      const keys = keysOf.get(object) ?? new Set();
      keysOf.set(object, keys);
      const key = unquote(token);
      return keys.size === keys.add(key).size
        ? refuse('repeated-key', `the key \`${key.slice(0, 60)}\` is repeated in an object`)
        : undefined;
    },
    string(token) {
      const content = unquote(token);
      // Neither can be stored or transmitted reliably everywhere. A model never intends them.
      if (content.includes('\0')) return refuse('nul-character', 'a string contains the NUL character');
      if (content.isWellFormed()) return undefined;
      return refuse('half-surrogate', 'a string contains half of a surrogate pair');
    },
  };
}
