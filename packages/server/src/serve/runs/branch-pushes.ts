/** Pushes of one execution: at checkpoints in the background, and at its end with further tries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { PushMode } from '@truecast/client/internal/wire/wire-codes';
import { findCommit } from 'truecast/internal/git/command/find-commit';
import { cloneCall, type RemoteClone } from 'truecast/internal/git/remote/remote-clone';
import { pushBranch, type PushOutcome as GitPushOutcome } from 'truecast/internal/git/remote/push-branch';
import type {
  EarlierExecution,
  ExecutionEnding,
  RunFailure,
  RunNote,
  RunReport,
} from '../../runs/agent-executor.ts';
import { findPushedSecret } from './find-pushed-secret.ts';

/** Limits of pushes, in milliseconds. */
export interface PushLimits {
  /** Of one try. */
  readonly pushMs: number;
  /** Of the one try while the worker closes. */
  readonly leaveMs: number;
  /** Pause before the second try. Each next one is twice as long. */
  readonly pauseMs: number;
}

interface PushParts {
  readonly clone: RemoteClone;
  readonly branch: string;
  readonly mode: PushMode;
  /** True for an ending that is not published, although it is a success. */
  readonly isHeldBack: (ending: ExecutionEnding) => boolean;
  /** True if the run can end with a question or a refusal, so that no turn is published before its end. */
  readonly waitsForEnd: boolean;
  readonly limits: PushLimits;
  readonly report: RunReport;
  readonly earlier: EarlierExecution | undefined;
}

/** A push that was not tried has an outcome too. */
type PushOutcome =
  | GitPushOutcome
  | {
      readonly status: 'rejected';
      readonly reason: 'secret_in_commits';
      readonly detail: string;
      readonly isTransient?: never;
    };
type Failed = Exclude<PushOutcome, { readonly status: 'pushed' }>;

const TRIES = 5;
const MAX_DETAIL = 2_000;

/** Pushes of the branch of an execution, one after the other. */
export class BranchPushes {
  readonly #parts: PushParts;
  #branch: string;
  #base: string | undefined;
  #pushed: string | undefined;
  #warnings: readonly string[] = [];
  /** Checkpoints do not delay the run. */
  #last: Promise<void> = Promise.resolve();
  #isRejected = false;

  constructor(parts: PushParts) {
    this.#parts = parts;
    this.#branch = parts.branch;
    this.#base = parts.earlier?.baseSha;
    this.#pushed = parts.earlier?.pushedSha;
  }

  /** Pushes the branch in the background, if it has moved. A failure is a warning. */
  checkpoint({ phase, baseSha, branch }: RunNote): void {
    this.#base ??= baseSha;
    this.#moveTo(branch);
    const isEnd = phase === 'answered' || phase === 'settled';
    const { mode, waitsForEnd } = this.#parts;
    if (mode !== 'always' || waitsForEnd || isEnd || this.#isRejected) return;
    this.#last = this.#last.then(() => this.#pushCheckpoint()).catch((error: unknown) => this.#warn(error));
  }

  /** An agent that starts again elsewhere has its own branch. That of the lost one stays as it is on the remote. */
  #moveTo(branch: string | undefined): void {
    if (branch === undefined || branch === this.#branch) return;
    const { mode, waitsForEnd } = this.#parts;
    const [first, pushed] = [this.#branch, this.#pushed];
    this.#branch = branch;
    this.#pushed = undefined;
    if (mode !== 'always' || waitsForEnd) return;
    this.#last = this.#last
      .then(() => this.#pushAbandoned(first, pushed))
      .catch((error: unknown) => this.#warn(error));
  }

  /** Pushes what this machine has of a branch that is not continued, such as after an outage of the remote. */
  async #pushAbandoned(branch: string, pushed: string | undefined): Promise<void> {
    const { clone, limits, report } = this.#parts;
    const tip = await this.#tip(branch);
    if (tip === undefined || tip === this.#base || tip === pushed) return;
    const push = { branch, tip, base: this.#base ?? tip, pushed };
    const outcome = await pushBranch(clone, push, { timeoutMs: limits.pushMs, signal: report.signal });
    if (outcome.status !== 'pushed') this.#warn(outcome.detail);
  }

  /** Pushes the work of an ended execution. A success whose work is not on the remote is none. */
  async settle(ending: ExecutionEnding): Promise<ExecutionEnding> {
    const { mode, report, isHeldBack } = this.#parts;
    this.#moveTo(ending.branch);
    await this.#last;
    const isOfMode = mode === 'always' || (mode === 'on_success' && ending.status === 'succeeded');
    const isWanted = isOfMode && !isHeldBack(ending);
    const isOthers = report.signal.aborted && report.signal.reason === 'superseded';
    // Without a base, no agent has started.
    if (!isWanted || isOthers || this.#base === undefined) return this.#told(ending);
    const tip = ending.headSha ?? (await this.#tip());
    const isDone = tip === undefined || tip === this.#base || tip === this.#pushed;
    const failure = isDone ? undefined : await this.#pushEnd(tip, ending);
    if (failure === undefined) return this.#told(ending);
    if (ending.status === 'succeeded') {
      // Its answer is accepted, so another worker pushes the work.
      if (report.signal.aborted) return { ...this.#told(ending), status: 'stopped' };
      if (failure !== 'stopped') {
        return { ...this.#told(ending), status: 'failed', error: toFailure(failure) };
      }
    }
    if (failure !== 'stopped') this.#warn(failure.detail);
    return this.#told(ending);
  }

  #told<T extends ExecutionEnding>(ending: T): T {
    return {
      ...ending,
      ...(this.#pushed !== undefined && { pushedSha: this.#pushed }),
      ...(this.#warnings.length > 0 && { warnings: [...(ending.warnings ?? []), ...this.#warnings] }),
    };
  }

  async #pushCheckpoint(): Promise<void> {
    const { report, limits } = this.#parts;
    const tip = await this.#tip();
    if (tip === undefined || tip === this.#base || tip === this.#pushed) return;
    const outcome = await this.#push(tip, limits.pushMs, report.signal);
    if (outcome.status !== 'pushed') {
      this.#isRejected = outcome.status === 'rejected' && outcome.isTransient !== true;
      this.#warn(outcome.detail);
      return;
    }
    await report.note({ pushedSha: tip }).catch((error: unknown) => {
      // The end of the execution has it too.
      if (!StoreError.isInstance(error)) throw error;
    });
  }

  /** Returns the failure of the last try, or `stopped` after an abort. */
  async #pushEnd(tip: string, { status }: ExecutionEnding): Promise<Failed | 'stopped' | undefined> {
    const { limits, report } = this.#parts;
    const { signal } = report;
    // A run that was stopped gets one try.
    const isStopped = signal.aborted || status === 'stopped' || status === 'lost';
    const timeoutMs = signal.reason === 'leaving' ? limits.leaveMs : limits.pushMs;
    for (let tries = 1, pauseMs = limits.pauseMs; ; tries += 1, pauseMs *= 2) {
      try {
        const outcome = await this.#push(tip, timeoutMs, isStopped ? undefined : signal);
        if (outcome.status === 'pushed') return undefined;
        const isFinal = outcome.status === 'rejected' && outcome.isTransient !== true;
        if (isFinal || isStopped || tries >= TRIES) return outcome;
        await sleep(pauseMs, undefined, { signal });
      } catch (error) {
        if (isStopped || !signal.aborted) throw error;
        return 'stopped';
      }
    }
  }

  async #push(tip: string, timeoutMs: number, signal?: AbortSignal): Promise<PushOutcome> {
    const { clone } = this.#parts;
    const push = { branch: this.#branch, tip, base: this.#base ?? tip, pushed: this.#pushed };
    const options = { timeoutMs, signal };
    const found = await findPushedSecret(clone, push, options);
    if (found !== undefined) return { status: 'rejected', reason: 'secret_in_commits', detail: found };
    const outcome = await pushBranch(clone, push, options);
    if (outcome.status === 'pushed') this.#pushed = tip;
    return outcome;
  }

  #tip(branch = this.#branch): Promise<string | undefined> {
    const { clone, limits } = this.#parts;
    return findCommit(`refs/heads/${branch}`, cloneCall(clone, { timeoutMs: limits.pushMs }));
  }

  #warn(cause: unknown): void {
    const { report } = this.#parts;
    if (report.signal.aborted && report.signal.reason === 'superseded') return;
    const message = `The branch could not be pushed: ${cut(String(cause))}`;
    this.#warnings = [...this.#warnings, message];
    report.event({ type: 'warning', message });
  }
}

const MESSAGES: Readonly<Record<Failed['reason'], string>> = {
  branch_moved:
    'Another program moved the branch on the remote, so it was not overwritten. The work is kept on the branch of the worker. Merge it there, or retry with another `branch`.',
  history_rewritten:
    'The agent removed commits that were there before it, so its branch was not pushed. The work is kept on the branch of the worker. Retry.',
  refused_by_remote:
    'The remote refused the branch. Read `error.detail`, and change its rules or `branch`. The work is kept on the branch of the worker.',
  secret_in_commits:
    'A commit of the run contains a secret of the worker, so nothing later was pushed. Read `error.detail`, and remove the secret from the branch of the worker, which has the work. Then retry.',
  push_failed:
    'The branch could not be pushed. The work is kept on the branch of the worker. Read `error.detail`, check the remote, and retry.',
  timeout:
    'The remote did not answer in time, and the branch was not pushed. The work is kept on the branch of the worker. Check the remote, and retry.',
};

function toFailure({ status, reason, detail }: Failed): RunFailure {
  const code = status === 'rejected' ? 'push_rejected' : 'repository_failed';
  return { code, reason, message: MESSAGES[reason], detail: cut(detail, MAX_DETAIL) };
}
