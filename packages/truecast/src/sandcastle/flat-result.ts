/** Results of runs whose `resume` and `fork` take flat options. */
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { RunPromise } from '../run/events/run-events.ts';
import type { RunResult as GroupedResult } from '../run/options/run-options.ts';
import type { FlatRunOptions } from './flat-options.ts';
import { assertFlat, toGroups } from './to-groups.ts';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';

/** Options that can change when a session is continued. */
type FlatContinueOptions = Partial<
  Omit<
    FlatRunOptions,
    'agent' | 'sandbox' | 'prompt' | 'promptFile' | 'resumeSession' | 'forkSession' | 'maxIterations'
  >
>;

/** Continues a session with a new prompt. With an `output`, to a typed answer. */
interface FlatContinue {
  <TDefinition extends AnyOutputDefinition>(
    prompt: string,
    options: FlatContinueOptions & { readonly output: TDefinition },
  ): Promise<FlatResultWithOutput<InferOutput<TDefinition>>>;
  (prompt: string, options?: FlatContinueOptions): Promise<FlatRunResult>;
}

/** Result of a run. */
export interface FlatRunResult extends Omit<GroupedResult, 'resume' | 'fork'> {
  /** Continues the session with a new prompt. Absent without a session to continue. */
  readonly resume?: FlatContinue;
  /** Like `resume`, but in a new session that leaves this one unchanged. */
  readonly fork?: FlatContinue;
}

/** `RunResult` with the typed answer, and how it was obtained. */
export type FlatResultWithOutput<TOutput> = FlatRunResult & {
  readonly output: TOutput;
  readonly provenance: Provenance;
};

/** Starts a run with flat options: its errors and its result have flat names too. */
export function startFlat(
  options: object,
  of: string,
  start: () => RunPromise<GroupedResult>,
): RunPromise<FlatRunResult> {
  const started = startIfFlat(options, of, start);
  const result = started.then(toFlatResult, (error: unknown) => {
    throw inFlatWords(error);
  });
  return Object.assign(result, {
    [Symbol.asyncIterator]() {
      result.catch(() => undefined);
      return started[Symbol.asyncIterator]();
    },
  });
}

function startIfFlat(
  options: object,
  of: string,
  start: () => RunPromise<GroupedResult>,
): RunPromise<GroupedResult> {
  try {
    if (typeof options === 'object' && options !== null) assertFlat(options, of);
    return start();
  } catch (error) {
    return Object.assign(Promise.reject<GroupedResult>(error), {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
    });
  }
}

function toFlatResult({ resume, fork, ...result }: GroupedResult): FlatRunResult {
  return {
    ...result,
    ...(resume !== undefined && { resume: toFlatContinue(resume) }),
    ...(fork !== undefined && { fork: toFlatContinue(fork) }),
  };
}

function toFlatContinue(next: NonNullable<GroupedResult['resume']>): FlatContinue {
  function continueFlat<TDefinition extends AnyOutputDefinition>(
    prompt: string,
    changes: FlatContinueOptions & { readonly output: TDefinition },
  ): Promise<FlatResultWithOutput<InferOutput<TDefinition>>>;
  function continueFlat(prompt: string, changes?: FlatContinueOptions): Promise<FlatRunResult>;
  async function continueFlat(prompt: string, changes: FlatContinueOptions = {}): Promise<FlatRunResult> {
    try {
      return toFlatResult(await next(prompt, toGroups(changes)));
    } catch (error) {
      throw inFlatWords(error);
    }
  }
  return continueFlat;
}

const FLAT_NAMES: readonly (readonly [string, string])[] = [
  ['timeouts.idleMs', 'idleTimeoutSeconds'],
  ['timeouts.completionMs', 'completionTimeoutSeconds'],
  ['timeouts.runMs', 'timeoutSeconds'],
  ['timeouts.limitWaitMs', 'maxLimitWaitSeconds'],
  ['session.maxBytes', 'limits.sessionBytes'],
  ['session.resume', 'resumeSession'],
  ['session.fork', 'forkSession'],
  ['logging.maxBytes', 'limits.logBytes'],
  ['logging.maxRecordBytes', 'limits.recordingBytes'],
  ['logging.keepRuns', 'runs.keep'],
  ['logging.record', 'record'],
  ['budget.prices', 'prices'],
  ['branchStrategy.editablePaths', 'editablePaths'],
  ['policies.', ''],
];

/** Renames the options in an error's message, and returns the error. */
function inFlatWords(error: unknown): unknown {
  if (TruecastError.isInstance(error)) {
    error.message = FLAT_NAMES.reduce(
      (message, [name, flat]) => message.replaceAll(`\`${name}`, `\`${flat}`),
      error.message,
    );
  }
  return error;
}
