/** Starts a sandbox around a worktree, step by step, and closes it. */
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import type { FinalizerFolder } from '../finalizer/finalizer-folder.ts';
import { verifyWorktree, type WorktreeSnapshot } from '../../git/worktree/verify.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import type { WorkReview } from '../review/work-review.ts';
import type { HandedOverTip, OwnGitHandle } from '../../ports/own-git.ts';
import type { PlaceContext } from '../context/run-context.ts';
import type { SandboxOpening } from '../context/workspace.ts';
import type { StoppableHandle } from './stoppable-handle.ts';
import { OPENING_STEPS } from './opening-steps.ts';
import { made, type OpenSandboxOptions, type SandboxDraft } from './start-sandbox.ts';

export interface OpenSandbox {
  readonly worktree: LockedWorktree;
  readonly handle: StoppableHandle;
  /**
   * State of the files that could run code on the host, before any guest runs. Undefined if
   * commands run on the host anyway.
   */
  readonly snapshot: WorktreeSnapshot | undefined;
  readonly review: WorkReview;
  readonly finalizerFolder: FinalizerFolder | undefined;
  /** How it was started, to start another one like it. */
  readonly opening: SandboxOpening;
}

/**
 * Starts the sandbox and runs its hooks. A failure closes it again, and removes its folders and mounts.
 *
 * @throws UsageError `exposed-state-folder`; SandboxError; the signal's reason on abort
 */
export async function openSandbox(context: PlaceContext, opened: OpenSandboxOptions): Promise<OpenSandbox> {
  const opening: SandboxDraft = { context, opened };
  try {
    for (const step of OPENING_STEPS) await step.take(opening);
  } catch (error) {
    await undo(opening);
    throw error;
  }
  const { handle, snapshot, review, finalizerFolder } = opening;
  return {
    worktree: opened.worktree,
    handle: made(handle),
    snapshot,
    review: made(review),
    finalizerFolder,
    opening: { ...opened, settings: context.options },
  };
}

async function undo({ context, handle, snapshot, finalizerFolder, protection }: SandboxDraft): Promise<void> {
  if (handle === undefined) {
    await protection?.remove();
    await finalizerFolder?.remove();
    return;
  }
  if (context.options.isThrownAway !== true) {
    await syncOut(handle, { warn: context.warn }).catch(() => undefined);
  }
  await closeSandbox({ handle, finalizerFolder });
  // A hook can run untrusted code, such as an install script. The caller uses git in the worktree
  // next.
  const { gitSetupMs: timeoutMs } = context.options.timeouts;
  if (snapshot !== undefined) await verifyWorktree(snapshot, { timeoutMs });
}

/** Stops everything inside, and frees the resources shared with the host. */
export async function closeSandbox({
  handle,
  finalizerFolder,
}: Pick<OpenSandbox, 'handle' | 'finalizerFolder'>): Promise<void> {
  try {
    await handle.close();
  } finally {
    await finalizerFolder?.remove();
  }
}

/** Listeners to the results of a copy. */
export interface SyncOutListeners {
  readonly warn: (message: string) => void;
  readonly onRecovered?: ((recovered: RecoveredRef) => void) | undefined;
  /** Called with each commit that the guest created. */
  readonly onMade?: ((sha: string) => void) | undefined;
  /** Called with the branch's new tip, if the branch has moved. */
  readonly onTip?: ((tip: HandedOverTip) => void) | undefined;
}

/** Copies changes made inside to the host's worktree, if the sandbox does not share it. */
export async function syncOut(
  handle: OwnGitHandle,
  { warn, onRecovered, onMade, onTip }: SyncOutListeners,
): Promise<void> {
  if (handle.handOver === undefined) {
    for (const message of (await handle.syncOut?.()) ?? []) warn(message);
    return;
  }
  const { recovered, warnings, made = [], tip } = await handle.handOver();
  for (const sha of made) onMade?.(sha);
  if (tip !== undefined) onTip?.(tip);
  for (const one of recovered) onRecovered?.(one);
  for (const message of warnings) warn(message);
}
