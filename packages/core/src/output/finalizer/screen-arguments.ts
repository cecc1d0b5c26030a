/** Screening of tool call arguments as text: shape, keys, characters. Pure. */
import { cut } from '../../errors/base/describe-value.ts';
import { reportFaults, type InexactPart, type TextLimits } from '../../schema/json-text/find-inexact.ts';
import type { ScreenProblem } from '../judge/judged.ts';
import { showPath } from '../json/show-path.ts';
import { FINALIZER_KEY } from './finalizer-tool.ts';

/** Limits of the arguments. */
export interface FinalizerLimits extends TextLimits {
  /** Size in bytes of UTF-8, the envelope included. @default 262144 */
  readonly maxBytes: number;
}

/** Enough for a long report, and small enough that keeping a checked answer costs nothing. */
export const DEFAULT_FINALIZER_LIMITS: FinalizerLimits = {
  maxBytes: 256 * 1024,
  maxDepth: 64,
  maxValues: 20_000,
};

/**
 * Screens the unchanged arguments `{ "output": … }`, which are JSON. Returns the limit or rule that
 * they break. Whether each integer must be exact is for the judge. Linear in the text's length.
 */
export function screenArguments(text: string, limits: FinalizerLimits): ScreenProblem | undefined {
  let found: InexactPart | undefined;
  const report = (fault: InexactPart): boolean => {
    if (fault.kind !== 'integer') found = fault;
    return found !== undefined;
  };
  const at = reportFaults(text, report, limits);
  if (found === undefined) return undefined;
  const { kind: code, message } = found;
  const [first, ...inside] = found.path;
  const path = first === FINALIZER_KEY ? inside : found.path;
  const where = path.length === 0 ? '' : `at \`${cut(showPath(path))}\`, `;
  const reason = `${message} (${where}character ${at})`;
  return { code, reason, path, cause: new SyntaxError(`Refused JSON: ${reason}`) };
}

/** Arguments of a call for an answer. */
export function envelope(answerText: string): string {
  return `{"${FINALIZER_KEY}":${answerText}}`;
}
