/**
 * Execution of an agent run of a repository at an address: its clone is fetched before the run, and its branch is
 * pushed at each checkpoint and at the end.
 */
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { PUSH_MODES, type PushMode } from '@truecast/client/internal/wire/wire-codes';
import type { RemoteClone } from 'truecast/internal/git/remote/remote-clone';
import { baseReference, fetchPushedBranch, prepareBranch } from 'truecast/internal/git/remote/run-branch';
import { openExecutionStore } from 'truecast/internal/run/executions/execution-store';
import type { ClaimedRun, ExecutionEnding, RunReport } from '../../runs/agent-executor.ts';
import { otherOutcomeIn, otherOutcomesOf } from '../../runs/other-outcome.ts';
import { BranchPushes, type PushLimits } from './branch-pushes.ts';
import { failedEnding } from './run-endings.ts';

/** A repository at an address. */
export interface RemoteWork {
  readonly clone: RemoteClone;
  /** Most that a request can ask for. */
  readonly push: PushMode;
  readonly limits: PushLimits & { readonly fetchMs: number };
}

interface PushedRunParts extends RemoteWork {
  /** Folder in which `run()` stores the state of runs with an id. */
  readonly stateFolder: string;
  /** Executes a run in the clone. */
  execute(claimed: ClaimedRun, report: RunReport): Promise<ExecutionEnding>;
}

/** Executes the run to its end. Resolves for each failure of the run, and after an abort. */
export async function executePushedRun(
  parts: PushedRunParts,
  claimed: ClaimedRun,
  report: RunReport,
): Promise<ExecutionEnding> {
  const { clone, push, limits } = parts;
  const { request, branch, earlier } = claimed;
  let base: string | undefined;
  try {
    base = await prepare(parts, claimed, report.signal);
  } catch (error) {
    if (report.signal.aborted) return { status: 'stopped' };
    const ending = failedEnding(error, { baseSha: earlier?.baseSha, warnings: [], evidence: undefined });
    if (ending === undefined) throw error;
    return ending;
  }
  const mode = request.read_only === true ? 'never' : narrower(request.push ?? push, push);
  const { response_format: format } = request;
  const pushes = new BranchPushes({
    clone,
    branch,
    limits,
    report,
    earlier,
    mode,
    waitsForEnd: otherOutcomesOf(format).length > 0,
    isHeldBack: ({ status, valueText }) =>
      status === 'succeeded' && otherOutcomeIn(format, valueText) !== undefined,
  });
  const note: RunReport['note'] = async (each, options) => {
    try {
      await report.note(each, options);
    } catch (error) {
      // Without its database, the worker continues. Git refuses the push if the run has another worker.
      if (StoreError.isInstance(error)) pushes.checkpoint(each);
      throw error;
    }
    pushes.checkpoint(each);
  };
  const local = { ...claimed, request: { ...request, ...(base !== undefined && { ref: base }) } };
  const ending = await parts.execute(local, { ...report, note });
  return pushes.settle(ending);
}

/**
 * Returns the reference at which the branch begins. An execution that continues on its machine fetches nothing. On
 * another one, it gets the branch as the lost worker pushed it.
 */
async function prepare(
  { clone, stateFolder, limits }: PushedRunParts,
  { id, branch, request, earlier }: ClaimedRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { ref } = request;
  const options = { timeoutMs: limits.fetchMs, signal };
  const isKnown = openExecutionStore(stateFolder, id).read() !== undefined;
  if (isKnown || signal.aborted) return ref === undefined ? undefined : baseReference(id);
  if (earlier?.pushedSha !== undefined) {
    await fetchPushedBranch(clone, { branch, sha: earlier.pushedSha }, options);
  }
  return prepareBranch(clone, { id, branch, ref }, options);
}

function narrower(one: PushMode, other: PushMode): PushMode {
  return PUSH_MODES.indexOf(one) > PUSH_MODES.indexOf(other) ? one : other;
}
