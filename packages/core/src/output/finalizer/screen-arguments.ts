/**
 * Screening of tool call arguments as text: size, shape, keys, characters. Also locates the answer
 * in them. Pure.
 */
import type { ParseProblem } from '../json/bounded-json.ts';
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

/** The problem of arguments that are not validated. */
export type ArgumentsProblem =
  | ParseProblem
  | 'repeated-key'
  | 'number-range'
  | 'nul-character'
  | 'half-surrogate';

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
  | {
      readonly type: 'malformed';
      readonly code: ArgumentsProblem;
      /** Contains keys of the model. */
      readonly reason: string;
      readonly cause: unknown;
    };

/** Screens the unchanged arguments `{ "output": … }`. Never throws. Linear in the text's length. */
export function screenArguments(text: string, limits: FinalizerLimits): ScreenedArguments {
  if (isLongerThan(text, limits.maxBytes)) return { type: 'too-large' };
  const parsed = parseJson(text);
  if (!parsed.success) {
    const { code, reason, cause } = parsed;
    return { type: 'malformed', code, reason, cause };
  }
  const screen: Screen = { start: 0, end: 0, code: 'syntax' };
  const problem = walkJson(text, createVisitor(text, limits, screen));
  if (problem !== undefined) return malformed(screen.code, `${problem.reason} (at character ${problem.at})`);
  const { value } = parsed;
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length !== 1 || !isEnvelope(value)) return { type: 'not-enveloped' };
  return { type: 'screened', value: value[FINALIZER_KEY], raw: text.slice(screen.start, screen.end) };
}

/** Screens the text of an answer that is in no envelope. Never throws. */
export function screenAnswer(text: string, limits: FinalizerLimits): ScreenedArguments {
  // Invalid JSON could become valid inside an envelope, such as `1},"x":{`.
  return screenArguments(parseJson(text).success ? envelope(text) : text, limits);
}

/** Arguments of a call for an answer. */
export function envelope(answerText: string): string {
  return `{"${FINALIZER_KEY}":${answerText}}`;
}

/** A number, from its first character. */
const NUMBER = /-?\d[\d.eE+-]*/uy;

/** Findings of one walk: the answer's place, and the code of the problem that ended the walk. */
interface Screen {
  start: number;
  end: number;
  code: ArgumentsProblem;
}

function createVisitor(
  text: string,
  limits: FinalizerLimits,
  screen: Screen,
): Parameters<typeof walkJson>[1] {
  const refuse = (code: ArgumentsProblem, reason: string): string => {
    screen.code = code;
    return reason;
  };
  const keysOf = new WeakMap<object, Set<string>>();
  let values = 0;
  return {
    value(start, depth) {
      values += 1;
      // Assumed to be the envelope's only value. That is checked at the end.
      if (depth === 1) screen.start = start;
      if (values > limits.maxValues) return refuse('too-many-values', `more than ${limits.maxValues} values`);
      NUMBER.lastIndex = start;
      // A number that parses to infinity could neither be validated nor serialized again.
      if (!Number.isFinite(Number(NUMBER.exec(text)?.[0] ?? 0)))
        return refuse('number-range', 'a number is out of range');
      if (depth <= limits.maxDepth) return undefined;
      return refuse('too-deep', `nested deeper than ${limits.maxDepth} levels`);
    },
    ended(end, depth) {
      if (depth === 1) screen.end = end;
    },
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

function isEnvelope(value: unknown): value is { readonly [FINALIZER_KEY]: unknown } {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, FINALIZER_KEY);
}

function malformed(code: ArgumentsProblem, reason: string): ScreenedArguments {
  return { type: 'malformed', code, reason, cause: new SyntaxError(`Refused JSON: ${reason}`) };
}
