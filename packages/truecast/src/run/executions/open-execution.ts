/** Opening of an execution: locks the id, reads what earlier executions left, and decides. */
import { randomBytes } from 'node:crypto';
import { join, parse } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import {
  ensureStateFolder,
  isTemporaryCopy,
  repositoryStateFolder,
} from '@truecast/host/internal/state-folder';
import { temporaryBranchName } from '../../git/command/branch-name.ts';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import { acquireLock, type LockOptions } from '../../git/command/lock.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import type { PreparedRun } from '../prepare/prepare-run.ts';
import { findBranch } from './branch-state.ts';
import { decideExecution, type ExecutionFacts } from './decide-execution.ts';
import { Execution } from './execution.ts';
import type { ExecutionRecord } from './execution-record.ts';
import { openExecutionStore } from './execution-store.ts';
import { askedFacts, assertSameCall } from './run-id.ts';
import { salvageSession } from './salvage-session.ts';

/** An execution, and the options with which it continues. */
export interface OpenExecution {
  readonly execution: Execution | undefined;
  readonly options: NormalizedRunOptions;
}

/**
 * Opens the execution of a run with an id. Without an id, the options are unchanged.
 *
 * @throws RepositoryError `locked` while another execution of the id lives; UsageError `not-repeatable`
 */
export async function openExecution(
  asked: NormalizedRunOptions,
  prepared: PreparedRun,
  signal: AbortSignal,
): Promise<OpenExecution> {
  const { id } = asked;
  if (id === undefined) return { execution: undefined, options: asked };
  const { commonDir } = prepared.repository;
  const stateFolder = repositoryStateFolder(commonDir);
  const lock = await acquireLock({
    // Each execution outside of a repository has its own copy. They share the state folder.
    commonDir: isTemporaryCopy(commonDir) ? ensureStateFolder(stateFolder) : commonDir,
    ...executionLock(id),
    command: `${asked.agent.name} in ${asked.sandbox.name}`,
    now: new Date(),
  });
  try {
    const store = openExecutionStore(stateFolder, id);
    const earlier = store.read();
    const now = await askedFacts(asked, prepared.prompt);
    if (earlier !== undefined && !isFromElsewhere(earlier)) assertSameCall(id, { now, first: earlier.asked });
    const facts = await findFacts(asked, prepared, { earlier, signal });
    const decision = decideExecution(facts);
    if (decision === 'refuse') throw notRepeatable(id, facts, earlier);
    const record = nextRecord(asked, { earlier, now, target: prepared.repository.branch });
    if (decision !== 'return') store.write(record);
    const execution = new Execution({ decision, record, store, lock });
    return { execution, options: continuedOptions(asked, execution) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Returns the key and the subject of the lock of an id. */
export function executionLock(id: string): Pick<LockOptions, 'key' | 'subject'> {
  return { key: `execution:${id}`, subject: `The run \`${id}\`` };
}

async function findFacts(
  asked: NormalizedRunOptions,
  { repository, egress }: PreparedRun,
  { earlier, signal }: { readonly earlier: ExecutionRecord | undefined; readonly signal: AbortSignal },
): Promise<ExecutionFacts> {
  const { agent, sandbox, timeouts, isThrownAway, onInterruption } = asked;
  const call = { timeoutMs: timeouts.gitSetupMs, signal };
  const policy = sandbox.tag === 'bind-mount' ? (sandbox.egress ?? egress) : undefined;
  const sessionId = isThrownAway ? undefined : earlier?.sessionId;
  const hasSession =
    earlier?.phase === 'working' &&
    sessionId !== undefined &&
    // First: it is newer than the one that an earlier turn has stored.
    ((await salvageSession({ ...earlier, sessionId }, asked, { repository, signal })) ||
      (await agent.sessionStorage?.findByIdOnHost(sessionId))?.path !== undefined);
  return {
    phase: earlier?.phase,
    hasSession,
    isContained: onInterruption !== 'fail' && (policy === 'none' || policy === 'model'),
    restarts: onInterruption === 'restart',
    branch: earlier?.phase === 'answered' ? await findBranch(repository, earlier, call) : 'present',
  };
}

/** A record of another machine, whose sandbox and paths can differ. Its caller has checked it. */
function isFromElsewhere({ asked }: ExecutionRecord): boolean {
  return Object.keys(asked).length === 0;
}

function nextRecord(
  asked: NormalizedRunOptions,
  {
    earlier,
    now,
    target,
  }: {
    readonly earlier: ExecutionRecord | undefined;
    readonly now: ExecutionRecord['asked'];
    readonly target: string | undefined;
  },
): ExecutionRecord {
  if (earlier !== undefined) return { ...earlier, asked: now, executions: earlier.executions + 1 };
  const { id = '', isThrownAway } = asked;
  return {
    version: 1,
    id,
    asked: now,
    phase: 'opened',
    executions: 1,
    iterations: [],
    ...(!isThrownAway && { branch: chooseBranch(asked), target }),
  };
}

/** The name is stored before the branch exists, so that the next execution finds it. */
function chooseBranch({ branchStrategy, name }: NormalizedRunOptions): string {
  if (branchStrategy.type !== 'head' && branchStrategy.branch !== undefined) return branchStrategy.branch;
  const prefix = branchStrategy.type === 'merge-to-head' ? branchStrategy.branchPrefix : undefined;
  return temporaryBranchName({ name, now: new Date(), random: randomBytes(3), prefix });
}

function continuedOptions(
  asked: NormalizedRunOptions,
  { decision, record }: Execution,
): NormalizedRunOptions {
  const { branch, target, commitsSince, isNewBranch = false, isOwnWorktree = false, sessionId } = record;
  const { executions } = record;
  const branchStrategy = branch === undefined ? asked.branchStrategy : onBranch(asked.branchStrategy, branch);
  return {
    ...asked,
    branchStrategy,
    ...(commitsSince !== undefined &&
      branch !== undefined && { continues: { commitsSince, target, isNewBranch, isOwnWorktree } }),
    ...(decision === 'resume' && { resumeSession: sessionId, forkSession: false }),
    // The recording of an earlier execution is evidence.
    ...(asked.record !== undefined && executions > 1 && { record: numbered(asked.record, executions) }),
  };
}

/** Inserts a number before the extension. */
function numbered(path: string, number: number): string {
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.${number}${ext}`);
}

function onBranch(strategy: BranchStrategy, branch: string): BranchStrategy {
  return strategy.type === 'head' ? strategy : { ...strategy, branch };
}

function notRepeatable(
  id: string,
  { phase }: ExecutionFacts,
  record: ExecutionRecord | undefined,
): UsageError {
  const message =
    phase === 'answered'
      ? `The run \`${id}\` has an accepted answer, but its branch \`${record?.branch}\` was deleted, and its commits are in no branch. Restore the branch, or pass another \`id\`.`
      : `The agent of the run \`${id}\` was stopped before its session was stored, and outside of its worktree it can have done anything, such as calling a service. It is not started again. Check what it did. To start it from the beginning, set \`policies.onInterruption: 'restart'\`, or pass another \`id\`.`;
  return new UsageError(message, { code: 'not-repeatable' });
}
