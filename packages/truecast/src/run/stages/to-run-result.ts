/** Result of a run, from its progress. */
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { RunAnswer } from '../context/run-answer.ts';
import type { RunContext } from '../context/run-context.ts';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { AnyRunOptions, AnyRunResult, WorkOfRun } from '../options/read-only.ts';
import type {
  ContinueOptions,
  ContinueSession,
  RunOptions,
  RunResult,
  RunResultWithOutput,
} from '../options/run-options.ts';
import type { RunPromise } from '../events/run-events.ts';
import { answerTo } from './answer-question.ts';
import type { LoggingOption } from '../options/run-bounds.ts';
import { totalUsage } from '../context/run-progress.ts';
import type { Settled } from '../settle/settle-run.ts';

/** Inputs to continue a result's session. */
export interface Continuation {
  readonly options: AnyRunOptions;
  readonly run: (options: AnyRunOptions) => RunPromise<AnyRunResult>;
}

/** Creates the result of a successful run. */
export function toRunResult(
  { options, progress, log, execution }: Pick<RunContext, 'options' | 'progress' | 'log' | 'execution'>,
  settled: Settled,
  answer: RunAnswer | undefined,
  continuation: Continuation,
): AnyRunResult {
  const usage = totalUsage(progress);
  const { preservedWorktreePath, pullRequestUrl } = settled;
  const { sessionId, completionSignal } = progress;
  const canResume = sessionId !== undefined && options.agent.sessionStorage !== undefined;
  const answering = { value: answer?.value, output: options.output, prompt: progress.prompt };
  const { commitsSince } = execution ?? {};
  const strategy = continuedStrategy(options.branchStrategy, settled.branch);
  const result: AnyRunResult = {
    iterations: [...progress.iterations],
    stdout: progress.stdout.toString(),
    text: progress.text.toString(),
    commits: settled.commits,
    branch: settled.branch,
    warnings: [...progress.warnings],
    sensitiveChanges: settled.sensitiveChanges,
    ...(progress.recovered.size > 0 && { recovered: [...progress.recovered.values()] }),
    ...(completionSignal !== undefined && { completionSignal }),
    ...(usage !== undefined && { usage }),
    ...(preservedWorktreePath !== undefined && { preservedWorktreePath }),
    ...(pullRequestUrl !== undefined && { pullRequestUrl }),
    ...(commitsSince !== undefined && { commitsSince }),
    ...(log.path !== undefined && { logFilePath: log.path }),
    ...(answer !== undefined && { output: answer.value, provenance: answer.provenance }),
    ...(canResume && continueWith(sessionId, options.agent.canFork === true, continuation)),
    ...answerTo(answering, (prompt, changes) =>
      continuation.run({
        ...continuedOptions(continuation.options, changes),
        ...(!options.isThrownAway && { branchStrategy: strategy }),
        prompt: canResume ? prompt.inSession : prompt.inNewSession,
        ...(canResume && { session: { ...continuation.options.session, resume: sessionId, fork: false } }),
      }),
    ),
  };
  return options.isThrownAway ? withoutWork(result) : result;
}

function withoutWork(result: AnyRunResult): AnyRunResult {
  const shown = { ...result };
  for (const name of WORK) Reflect.deleteProperty(shown, name);
  return shown;
}

const WORK: readonly WorkOfRun[] = [
  'branch',
  'commits',
  'commitsSince',
  'recovered',
  'preservedWorktreePath',
  'pullRequestUrl',
  'sensitiveChanges',
];

/** The answer to a question continues on the branch of the question, also if that one is temporary. */
function continuedStrategy(strategy: BranchStrategy, branch: string): BranchStrategy {
  return strategy.type === 'merge-to-head' ? { ...strategy, branch } : strategy;
}

/** Options of a run that continues another one, without its prompt. */
function continuedOptions(
  options: AnyRunOptions,
  changes: ContinueOptions,
): Omit<AnyRunOptions, 'prompt' | 'session'> {
  // The template and its arguments belong to the first prompt, and the new prompt is literal. A
  // recording covers one run.
  const {
    prompt: _prompt,
    promptFile: _promptFile,
    promptArgs: _promptArgs,
    session: _session,
    ...own
  } = options;
  const { signal, ...kept } = own;
  return {
    ...kept,
    ...(signal !== undefined && !signal.aborted && { signal }),
    ...changes,
    ...mergedGroups(options, changes),
    maxIterations: 1,
  };
}

function continueWith(
  sessionId: string,
  canFork: boolean,
  { options, run }: Continuation,
): Pick<RunResult, 'resume' | 'fork'> {
  const continuing = (fork: boolean): ContinueSession => {
    function continueSession<TDefinition extends AnyOutputDefinition>(
      prompt: string,
      changes: ContinueOptions & { readonly output: TDefinition },
    ): Promise<RunResultWithOutput<InferOutput<TDefinition>>>;
    function continueSession(prompt: string, changes?: ContinueOptions): Promise<RunResult>;
    function continueSession(prompt: string, changes: ContinueOptions = {}): Promise<AnyRunResult> {
      // The condition is about the first answer.
      const { until: _until, maxRounds: _maxRounds, ...first } = options;
      return run({
        ...continuedOptions(first, changes),
        prompt,
        session: { ...options.session, resume: sessionId, fork },
      });
    }
    return continueSession;
  };
  return { resume: continuing(false), ...(canFork && { fork: continuing(true) }) };
}

/** A group of options keeps the members that are not changed. */
function mergedGroups(
  { logging, timeouts, policies, budget }: AnyRunOptions,
  changes: ContinueOptions,
): Pick<RunOptions, 'logging' | 'timeouts' | 'policies' | 'budget'> {
  return {
    ...(logging !== undefined && changes.logging === undefined && { logging: withoutRecording(logging) }),
    timeouts: { ...timeouts, ...changes.timeouts },
    policies: { ...policies, ...changes.policies },
    ...((budget ?? changes.budget) !== undefined && { budget: { ...budget, ...changes.budget } }),
  };
}

function withoutRecording(logging: LoggingOption): LoggingOption {
  const { record: _record, ...kept } = logging;
  return kept;
}
