/** Owns starting a sandbox around a worktree, with the caller's hooks run in it. */
import { describeValue } from '../../errors/describe-value.ts';
import { SandboxError } from '../../errors/sandbox-error.ts';
import type { ModelAccess } from '../agents/model-access.ts';
import { makeFinalizerFolder, type FinalizerFolder } from '../finalizer/finalizer-folder.ts';
import { protectWorktree, verifyWorktree, type WorktreeSnapshot } from '../git/verify.ts';
import type { Worktree } from '../git/worktree.ts';
import type { SandboxHandle } from '../sandboxes/sandbox-provider.ts';
import { runSandboxHooks } from './hooks.ts';
import { gitCallOf, type SandboxSetupContext } from './setup-context.ts';

/** What a sandbox is started with. */
export interface OpenSandboxOptions {
  readonly worktree: Worktree;
  /** The environment of every command inside. */
  readonly env: Readonly<Record<string, string>>;
  /** Host paths that agents' programs need to see inside. */
  readonly readonlyPaths: readonly string[];
  readonly modelAccess: ModelAccess | undefined;
  /** True when agents inside may hand in their answers by a tool: shows a folder of the host for its sockets. */
  readonly hasFinalizerFolder: boolean;
}

/** A started sandbox around a worktree. */
export interface OpenSandbox {
  readonly worktree: Worktree;
  readonly handle: SandboxHandle;
  /** State of the files that could run code on the host, before any guest; undefined where commands run on the host anyway. */
  readonly snapshot: WorktreeSnapshot | undefined;
  readonly finalizerFolder: FinalizerFolder | undefined;
}

/**
 * Starts the sandbox and runs the hooks for it.
 *
 * @throws SandboxError; the signal's reason on abort. A sandbox whose hook failed is closed again
 */
export async function openSandbox(
  context: SandboxSetupContext,
  opened: OpenSandboxOptions,
): Promise<OpenSandbox> {
  const { options, signal } = context;
  const { worktree } = opened;
  const isGuest = options.sandbox.tag !== 'none';
  const snapshot = isGuest ? await protectWorktree(worktree, gitCallOf(context)) : undefined;
  const finalizerFolder = opened.hasFinalizerFolder ? await makeFinalizerFolder() : undefined;
  const handle = await startSandbox(context, opened, finalizerFolder);
  try {
    await runSandboxHooks(options.hooks, handle, { worktreePath: worktree.path, signal });
    return { worktree, handle, snapshot, finalizerFolder };
  } catch (error) {
    await closeSandbox({ handle, finalizerFolder });
    // A hook may run what strangers wrote, an install script for one: the caller looks at the worktree with git next.
    if (snapshot !== undefined) await verifyWorktree(snapshot, { timeoutMs: options.timeouts.gitSetupMs });
    throw error;
  }
}

/** Ends everything inside, and frees what the sandbox shared with the host. */
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

/** Brings what was done inside to the host's worktree, where the sandbox does not share it. */
export async function syncOut(handle: SandboxHandle, warn: (message: string) => void): Promise<void> {
  for (const message of (await handle.syncOut?.()) ?? []) warn(message);
}

async function startSandbox(
  { options: { sandbox, copyToWorktree = [] }, signal }: SandboxSetupContext,
  { worktree, env, readonlyPaths, modelAccess }: OpenSandboxOptions,
  finalizerFolder: FinalizerFolder | undefined,
): Promise<SandboxHandle> {
  try {
    return await sandbox.create({
      worktreePath: worktree.path,
      hostRepoPath: worktree.repository.mainTopLevel,
      mounts: finalizerFolder?.mounts ?? [],
      env,
      git: { commonDir: worktree.commonDir, gitDir: worktree.gitDir },
      readonlyPaths,
      sends: {
        branches: worktree.repository.branch === undefined ? [] : [worktree.repository.branch],
        paths: copyToWorktree,
      },
      signal,
      ...(modelAccess !== undefined && { modelAccess }),
    });
  } catch (error) {
    await finalizerFolder?.remove();
    if (signal.aborted) throw signal.reason;
    if (SandboxError.isInstance(error)) throw error;
    throw new SandboxError(
      `The sandbox \`${sandbox.name}\` could not be started: ${describeValue(error instanceof Error ? error.message : error)}. Run \`truecast doctor\`.`,
      { code: 'start', cause: error },
    );
  }
}
