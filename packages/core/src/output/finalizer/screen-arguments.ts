/** Screening of tool call arguments as text: shape, keys, characters. Pure. */
import { cut } from '../../errors/base/describe-value.ts';
import type { ScreenProblem } from '../judge/judged.ts';
import { showPath } from '../json/show-path.ts';
import { FINALIZER_KEY } from './finalizer-tool.ts';
import { TextPlace } from '../../schema/json-text/text-place.ts';
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
  const found: Found = { code: '', path: [] };
  const problem = walkJson(text, createVisitor(text, limits, found));
  if (problem === undefined) return undefined;
  const [first, ...inside] = found.path;
  const path = first === FINALIZER_KEY ? inside : found.path;
  const where = path.length === 0 ? '' : `at \`${cut(showPath(path))}\`, `;
  const reason = `${problem.reason} (${where}character ${problem.at})`;
  return { code: found.code, reason, path, cause: new SyntaxError(`Refused JSON: ${reason}`) };
}

/** Arguments of a call for an answer. */
export function envelope(answerText: string): string {
  return `{"${FINALIZER_KEY}":${answerText}}`;
}

/** A number, from its first character. */
const NUMBER = /-?\d[\d.eE+-]*/uy;

/** The problem that ended the walk, and its path in the arguments. */
interface Found {
  code: string;
  path: readonly (string | number)[];
}

function createVisitor(text: string, limits: FinalizerLimits, found: Found): Parameters<typeof walkJson>[1] {
  const place = new TextPlace();
  const refuse = (code: string, depth: number, reason: string): string => {
    found.code = code;
    found.path = place.pathAt(depth);
    return reason;
  };
  const refuseHalf = (content: string, depth: number): string | undefined =>
    content.isWellFormed()
      ? undefined
      : // It has no UTF-8 form, and many readers of JSON reject its escape.
        refuse('half-surrogate', depth, 'a string contains half of a surrogate pair');
  let values = 0;
  let isValue = false;
  let stringDepth = 0;
  return {
    value(start, depth) {
      values += 1;
      [isValue, stringDepth] = [text[start] === '"', depth];
      place.value(depth, text[start] === '[');
      if (values > limits.maxValues)
        return refuse('too-many-values', depth, `more than ${limits.maxValues} values`);
      NUMBER.lastIndex = start;
      // A number that parses to infinity could neither be validated nor serialized again.
      if (!Number.isFinite(Number(NUMBER.exec(text)?.[0] ?? 0)))
        return refuse('number-range', depth, 'a number is out of range');
      if (depth <= limits.maxDepth) return undefined;
      return refuse('too-deep', depth, `nested deeper than ${limits.maxDepth} levels`);
    },
    ended: () => undefined,
    key(token, depth, object) {
      const key = unquote(token);
      if (place.key(key, depth, object))
        return refuse('repeated-key', depth, `the key \`${key.slice(0, 60)}\` is repeated in an object`);
      return refuseHalf(key, depth);
    },
    string(token) {
      // A key is examined with its place, after this.
      if (!isValue) return undefined;
      isValue = false;
      return refuseHalf(unquote(token), stringDepth);
    },
  };
}
