/** Screening of tool call arguments as text: shape, keys, characters. Pure. */
import { cut } from '../../kit/describe-value.ts';
import { reportFaults, type InexactPart, type PartProblem } from '../../json/text/find-inexact.ts';
import { ENVELOPE_KEY } from '../../schema/engine/embed-schema.ts';
import type { ScreenProblem } from '../judge/judged.ts';
import { showPath } from '../../json/show-path.ts';

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
 * they break. Whether each integer must be exact is for the judge. Linear in the text's length.
 */
export function screenArguments(text: string, limits: FinalizerLimits): ScreenProblem | undefined {
  let found: InexactPart | undefined;
  const report = (fault: InexactPart): boolean => {
    if (fault.kind !== 'integer') found = fault;
    return found !== undefined;
  };
  const at = reportFaults(text, report, excessOf(limits));
  if (found === undefined) return undefined;
  const { kind: code, message } = found;
  const [first, ...inside] = found.path;
  const path = first === ENVELOPE_KEY ? inside : found.path;
  const where = path.length === 0 ? '' : `at \`${cut(showPath(path))}\`, `;
  const reason = `${message} (${where}character ${at})`;
  return { code, reason, path, cause: new SyntaxError(`Refused JSON: ${reason}`) };
}

function excessOf({ maxDepth, maxValues }: FinalizerLimits): (depth: number) => PartProblem | undefined {
  let values = 0;
  return (depth) => {
    values += 1;
    if (values > maxValues) {
      return { kind: 'too-many-values', message: `Expected at most ${maxValues} values, got more` };
    }
    return depth > maxDepth
      ? { kind: 'too-deep', message: `Expected at most ${maxDepth} levels, got deeper nesting` }
      : undefined;
  };
}
