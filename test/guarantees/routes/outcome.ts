/** Outcome: what a route returned, printed and left behind, in one form for all routes. */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { EvidenceError } from '../../../packages/core/src/errors/base/run-evidence.ts';
import type {
  RunResult,
  RunResultWithOutput,
} from '../../../packages/truecast/src/run/options/run-options.ts';

/** The end of a call, on any route. */
export interface Outcome {
  /** False if the route refused: it rejected, answered with an error, or exited with another code than 0. */
  readonly isAccepted: boolean;
  readonly value?: unknown;
  /** The agent's text, as a result holds it. */
  readonly text?: string;
  /** Code of the error, if the route has error codes. */
  readonly code?: string;
  /** Message of the error. Empty if the route accepted. */
  readonly message: string;
  readonly warnings: readonly string[];
  readonly branch?: string;
  readonly commits: readonly string[];
  /** Paths of the reported sensitive changes. */
  readonly sensitive: readonly string[];
  readonly exitCode?: number | undefined;
  /** Fields of the request that the answer named as not used. */
  readonly ignored?: string;
  /** Everything that the route showed or stored: text, error, log, events, database. */
  readonly output: string;
}

/** Converts the end of a `run()`, in whatever place it ran. */
export async function outcomeOf(
  running: PromiseLike<RunResult | RunResultWithOutput<unknown>>,
  shown: () => string = () => '',
): Promise<Outcome> {
  try {
    const result = await running;
    return {
      isAccepted: true,
      ...('output' in result && { value: result.output }),
      text: result.text,
      message: '',
      warnings: result.warnings,
      branch: result.branch,
      commits: result.commits.map(({ sha }) => sha),
      sensitive: result.sensitiveChanges.map(({ path }) => path),
      output: [shown(), inspect(result, { depth: 9 }), logOf(result.logFilePath)].join('\n'),
    };
  } catch (error) {
    const evidence = EvidenceError.isInstance(error) ? error : undefined;
    return {
      ...failureOf(error),
      ...(evidence?.branch !== undefined && { branch: evidence.branch }),
      commits: evidence?.commits.map(({ sha }) => sha) ?? [],
      sensitive: evidence?.sensitiveChanges?.map(({ path }) => path) ?? [],
      output: [shown(), inspect(error, { depth: 9 }), logOf(evidence?.logFilePath)].join('\n'),
    };
  }
}

/** Converts an error of any route. */
export function failureOf(error: unknown): Outcome {
  const { code, message } = error instanceof Error ? (error as Error & { code?: unknown }) : {};
  return {
    isAccepted: false,
    ...(typeof code === 'string' && { code }),
    message: message ?? String(error),
    warnings: [],
    commits: [],
    sensitive: [],
    output: inspect(error, { depth: 9 }),
  };
}

function logOf(path: string | undefined): string {
  return path === undefined ? '' : readFileSync(path, 'utf8');
}
