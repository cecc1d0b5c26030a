/**
 * Execution of a run with an id: one call of `run()`, which holds the id's lock and stores each step
 * before the next one begins.
 *
 * opened → working → answered → ended. A rejected run keeps its step for the next execution.
 */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { sumUsage } from '@truecast/core/internal/kit/usage';
import { untilAborted } from '@truecast/core/internal/kit/until-aborted';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { Lock } from '../../git/command/lock.ts';
import type { RunExecution, StoringServices } from '../context/run-execution.ts';
import type { RunWorkspace } from '../context/workspace.ts';
import type { RunEvent } from '../events/run-events.ts';
import type { Settled } from '../settle/settle-run.ts';
import type { RunAnswer } from '../context/run-answer.ts';
import type { RunCheckpoint } from '../events/run-checkpoint.ts';
import type { ExecutionDecision } from './decide-execution.ts';
import type { ExecutionRecord } from './execution-record.ts';
import type { ExecutionStore } from './execution-store.ts';

/** Maximum length of a stored text. */
const MAX_TEXT_CHARS: number = 256 * 1024;
const MAX_LISTED = 1_000;

/** State that an execution found, and its store. */
export interface ExecutionParts {
  readonly decision: Exclude<ExecutionDecision, 'refuse'>;
  readonly record: ExecutionRecord;
  readonly store: ExecutionStore;
  readonly lock: Lock;
}

/** One execution. Its methods store, and then report the checkpoint. */
export class Execution implements RunExecution {
  readonly decision: ExecutionParts['decision'];
  readonly #store: ExecutionStore;
  readonly #lock: Lock;
  #record: ExecutionRecord;

  constructor({ decision, record, store, lock }: ExecutionParts) {
    this.decision = decision;
    this.#record = record;
    this.#store = store;
    this.#lock = lock;
  }

  get commitsSince(): string | undefined {
    return this.#record.commitsSince;
  }

  get moved(): ExecutionRecord['moved'] {
    return this.#record.moved;
  }

  get record(): ExecutionRecord {
    return this.#record;
  }

  /** The worktree is ready, and no agent has started in it. */
  async opened(
    services: StoringServices,
    { worktree, handle }: Pick<RunWorkspace, 'worktree' | 'handle'>,
  ): Promise<void> {
    if (this.decision === 'land') return;
    const { baseSha, foundAt, isNewBranch, isReused, path: worktreePath } = worktree;
    const { hostHomePath } = handle;
    // A branch that was deleted without work begins again.
    const isFirst = foundAt === undefined;
    this.#save({
      commitsSince: baseSha,
      worktreePath,
      hostHomePath,
      ...(isFirst && { isNewBranch, isOwnWorktree: !isReused }),
    });
    await this.#report(services, 'started');
  }

  /** Stores the progress that the run's events report. */
  observe(event: RunEvent, warn: (message: string) => void): void {
    const { phase, sessionId } = this.#record;
    // An agent starts now. This must be stored before, so a failure ends the run.
    if (event.type === 'iteration-start' && phase === 'opened') this.#save({ phase: 'working' });
    // After a kill, the session is the only way to continue.
    if (event.type === 'session' && event.sessionId !== sessionId) {
      this.#trySave({ sessionId: event.sessionId, moved: undefined }, warn);
    }
    // Before they land. After it, they are also commits of the target, and are not found again.
    if (event.type === 'commits' && phase === 'answered' && event.commits.length > 0) {
      this.#trySave({ commits: event.commits.map(({ sha }) => sha) }, warn);
    }
  }

  /** The session of a turn that continues has been copied. */
  async sessionCopied(services: StoringServices, sessionFilePath: string): Promise<void> {
    await this.#report(services, 'session', sessionFilePath);
  }

  async turnEnded(services: StoringServices): Promise<void> {
    this.#trySave({ iterations: services.progress.iterations.slice(-MAX_LISTED) }, services.warn);
    await this.#report(services, 'turn');
  }

  /** No agent is needed any more. */
  async answered(services: StoringServices, answer: RunAnswer | undefined): Promise<void> {
    if (this.decision === 'land') return;
    const { mask, warn } = services;
    const provenance = answer && maskValue(answer.provenance, mask);
    if (provenance?.raw !== answer?.provenance.raw) {
      warn('The stored answer has masked secrets. Another execution with the same `id` returns it masked.');
    }
    const isTreeChecked = answer?.isTreeChecked ?? false;
    this.#trySave({ phase: 'answered', answer: { provenance, isTreeChecked } }, warn);
    await this.#report(services, 'answered');
  }

  /** The run is over. Returns its result with all commits, also if they had landed before. */
  async ended(services: StoringServices, found: Settled): Promise<Settled> {
    const commits = found.commits.length > 0 ? found.commits : toCommits(this.#record.commits);
    const settled = { ...found, commits };
    await this.#end(services, settled);
    return settled;
  }

  async #end(services: StoringServices, settled: Settled): Promise<void> {
    const { progress, mask, warn } = services;
    const texts = {
      stdout: progress.stdout.toString().slice(-MAX_TEXT_CHARS),
      text: progress.text.toString().slice(-MAX_TEXT_CHARS),
      warnings: progress.warnings.slice(0, MAX_LISTED).map((warning) => cut(warning)),
      completionSignal: progress.completionSignal,
    };
    const ending = {
      ...maskValue(texts, mask),
      branch: settled.branch,
      sensitiveChanges: settled.sensitiveChanges.slice(0, MAX_LISTED),
      recovered: [...progress.recovered.values()].slice(0, MAX_LISTED),
      preservedWorktreePath: settled.preservedWorktreePath,
      pullRequestUrl: settled.pullRequestUrl,
    };
    const commits = settled.commits.map(({ sha }) => sha);
    this.#trySave({ phase: 'ended', commits, ending }, warn);
    await this.#report(services, 'landed');
  }

  /** Lets another process execute the run. */
  async close(): Promise<void> {
    await this.#lock.release();
  }

  #save(changes: Partial<ExecutionRecord>): void {
    this.#record = { ...this.#record, ...changes };
    this.#store.write(this.#record);
  }

  /** Work that is done is not thrown away for a full disk. The next execution knows less. */
  #trySave(changes: Partial<ExecutionRecord>, warn: (message: string) => void): void {
    try {
      this.#save(changes);
    } catch (error) {
      warn(`The state of the run \`${this.#record.id}\` could not be stored: ${cut(String(error))}`);
    }
  }

  /** The function of the caller can be slow, and can fail. Neither ends the run. */
  async #report(
    { options, signal, warn }: StoringServices,
    type: RunCheckpoint['type'],
    sessionFilePath?: string,
  ): Promise<void> {
    const { onCheckpoint } = options;
    if (onCheckpoint === undefined || signal.aborted) return;
    const checkpoint = toCheckpoint(this.#record, type, sessionFilePath);
    try {
      await untilAborted((async () => onCheckpoint(checkpoint))(), signal);
    } catch (error) {
      if (!signal.aborted) warn(`\`onCheckpoint\` threw an error, which was ignored: ${cut(String(error))}`);
    }
  }
}

function toCommits(shas: readonly string[] = []): CommitRef[] {
  return shas.map((sha) => ({ sha }));
}

function toCheckpoint(
  record: ExecutionRecord,
  type: RunCheckpoint['type'],
  copied: string | undefined,
): RunCheckpoint {
  const { executions, branch, commitsSince, sessionId, iterations } = record;
  const usage = sumUsage(iterations.map((each) => each.usage));
  const sessionFilePath = copied ?? iterations.at(-1)?.sessionFilePath;
  return {
    type,
    execution: executions,
    ...(branch !== undefined && { branch }),
    ...(commitsSince !== undefined && { commitsSince }),
    ...(sessionId !== undefined && { sessionId }),
    ...(sessionFilePath !== undefined && { sessionFilePath }),
    ...(usage !== undefined && { usage }),
  };
}
