/** Starts a sandbox around a worktree and runs the caller's hooks in it. */
import { dirname } from 'node:path';
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { assertStateOutside } from '@truecast/host/internal/state-home';
import type { DecidedEgress } from '../options/decide-egress.ts';
import { makeFinalizerFolder, type FinalizerFolder } from '../finalizer/finalizer-folder.ts';
import type { ConfigEntry } from '../../git/command/config-entries.ts';
import type { GitCallOptions } from '../../git/command/git.ts';
import { listReferences } from '../../guest-git/store/lay-out-store.ts';
import { protectWorktree, verifyWorktree, type WorktreeSnapshot } from '../../git/worktree/verify.ts';
import { findUsedFilters, type UsedFilters } from '../../git/filters/used-filters.ts';
import { worktreePaths, type LockedWorktree } from '../../git/worktree/worktree.ts';
import { hideHostSockets } from '../review/host-sockets.ts';
import { removeLeftPlaceholders } from '../review/placeholders.ts';
import { protectCheckout, type CheckoutProtection } from '../review/protect-checkout.ts';
import { startWorkReview, type WorkReview } from '../review/work-review.ts';
import {
  assertCheckedOut,
  assertFilterPrograms,
  filterEnvironment,
  type InsideFilters,
} from './filters-inside.ts';
import type { TipRead } from '../../git/command/tip-read.ts';
import type { HandedOverTip, OwnGitCreateOptions, OwnGitHandle } from '../../ports/own-git.ts';
import type { SandboxHandle, SandboxProvider } from '../../ports/sandbox-provider.ts';
import { guardSearchPath } from '../../support/search-path.ts';
import { assertHandle, reasonOf } from './checked-results.ts';
import { guardMounts } from './guard-mounts.ts';
import { runSandboxHooks } from '../options/hooks.ts';
import { gitCallOf, type PlaceContext, type PlaceSettings } from '../context/run-context.ts';
import { warnAboutPartialClone } from '../prepare/warn-about-own-git.ts';
import { warnAboutSubmodules } from './warn-about-submodules.ts';
import { stoppableHandle, type StoppableHandle } from './stoppable-handle.ts';

/** Options of the start. */
export interface OpenSandboxOptions extends DecidedEgress {
  readonly sandbox: SandboxProvider;
  readonly worktree: LockedWorktree;
  /** The environment of every command inside. */
  readonly env: Readonly<Record<string, string>>;
  /** Host paths that agents' programs need inside. */
  readonly readonlyPaths: readonly string[];
  /** True if agents can submit answers with a tool. Mounts a host folder for the sockets. */
  readonly hasFinalizerFolder: boolean;
  /**
   * Git's configuration, if it was read for this run and cannot have changed. @default read again
   */
  readonly knownConfig?: readonly ConfigEntry[] | undefined;
  /** The repository's references, if their listing has already started. @default listed now */
  readonly references?: References | undefined;
  /** Reads of the branch's new tip. @default none */
  readonly tipReads?: readonly TipRead[] | undefined;
}

/** Ids of references by name. The listing is in progress. */
export type References = Promise<ReadonlyMap<string, string>>;

/** A started sandbox around a worktree. */
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
  readonly opening: { readonly context: PlaceContext; readonly options: OpenSandboxOptions };
}

/**
 * Starts the sandbox and runs its hooks. Closes the sandbox again if a hook fails.
 *
 * @throws UsageError `exposed-state-folder`; SandboxError; the signal's reason on abort
 */
export async function openSandbox(context: PlaceContext, opened: OpenSandboxOptions): Promise<OpenSandbox> {
  const { options, signal } = context;
  const { sandbox, worktree } = opened;
  const isGuest = sandbox.tag !== 'none';
  if (isGuest) assertStateNotWritable(worktree);
  if (isGuest) guardSearchPath([dirname(worktree.commonDir), worktree.path]);
  await warnAboutSubmodules(worktree, { ...gitCallOf(context), isGuest, warn: context.warn });
  await warnAboutPartialClone({ sandbox, worktree, warn: context.warn });
  const hasOwnGit = sandbox.tag === 'bind-mount' && sandbox.hasOwnGit === true;
  const call = gitCallOf(context);
  const references = hasOwnGit ? (opened.references ?? listEarly(call, worktree)) : undefined;
  const [filters, snapshot, review] = await Promise.all([
    isGuest ? readFilters(context, worktree) : { inside: NO_FILTERS, used: NO_FILTERS },
    isGuest ? protectWorktree(worktree, { ...call, hasOwnGit }) : undefined,
    startWorkReview(
      {
        worktree,
        hasGuest: isGuest,
        canSetId: sandbox.tag === 'bind-mount' && sandbox.preventsSetId !== true,
        isFresh: isFresh(worktree, options),
        knownConfig: isGuest ? opened.knownConfig : undefined,
      },
      call,
    ),
  ]);
  const finalizerFolder = opened.hasFinalizerFolder ? await makeFinalizerFolder() : undefined;
  const env = { ...opened.env, ...filterEnvironment(filters.inside, opened.env) };
  const { attributesFile } = filters.used;
  const readonlyPaths = [...opened.readonlyPaths, ...(attributesFile === undefined ? [] : [attributesFile])];
  await removeLeftPlaceholders(worktree.commonDir);
  const protection = await protectHead(options, opened, review).catch(async (error: unknown) => {
    await finalizerFolder?.remove();
    throw error;
  });
  const handle = await startSandbox(
    context,
    { ...opened, env, readonlyPaths },
    { finalizerFolder, protection, references },
  );
  try {
    await assertFilterPrograms(filters.used, handle, { sandboxName: sandbox.name, signal });
    await runSandboxHooks(options.hooks, handle, { worktreePath: worktree.path, signal });
    return { worktree, handle, snapshot, review, finalizerFolder, opening: { context, options: opened } };
  } catch (error) {
    await syncOut(handle, { warn: context.warn }).catch(() => undefined);
    await closeSandbox({ handle, finalizerFolder });
    // A hook can run untrusted code, such as an install script. The caller uses git in the worktree
    // next.
    if (snapshot !== undefined) await verifyWorktree(snapshot, { timeoutMs: options.timeouts.gitSetupMs });
    throw error;
  }
}

/** Starts git early: it runs while the host's files are read and protected. */
export function listEarly(
  call: GitCallOptions,
  worktree: Pick<LockedWorktree, 'path' | 'gitDir' | 'commonDir'>,
): References {
  const listing = listReferences({ ...call, cwd: worktree.path, paths: worktreePaths(worktree) });
  // The provider awaits it. Until then another failure takes precedence.
  listing.catch(() => undefined);
  return listing;
}

async function protectHead(
  { branchStrategy, editablePaths = [] }: PlaceSettings,
  { sandbox, worktree }: OpenSandboxOptions,
  { initialFiles }: WorkReview,
): Promise<CheckoutProtection | undefined> {
  if (branchStrategy.type !== 'head' || sandbox.tag !== 'bind-mount') return undefined;
  const isOnHost = sandbox.hasOwnPrograms === false;
  return protectCheckout({ worktree, files: initialFiles, editablePaths, isOnHost });
}

/** Merging checks out the guest's commits, and git overwrites ignored files. */
function assertStateNotWritable({ path, strategy, repository }: LockedWorktree): void {
  assertStateOutside(path);
  if (strategy.type === 'merge-to-head') assertStateOutside(repository.topLevel);
}

/**
 * True while the worktree contains only its base commit: nothing was copied, and no hook ran in it.
 */
function isFresh({ isReused }: LockedWorktree, { hooks, copyToWorktree = [] }: PlaceSettings): boolean {
  return !isReused && copyToWorktree.length === 0 && (hooks?.host?.onWorktreeReady ?? []).length === 0;
}

interface Filters {
  /** Every configured driver. */
  readonly inside: InsideFilters;
  readonly used: UsedFilters;
}

const NO_FILTERS: UsedFilters = { drivers: [], attributesFile: undefined };

async function readFilters(context: PlaceContext, worktree: LockedWorktree): Promise<Filters> {
  const config = await worktree.repository.trustedConfig();
  const used = await findUsedFilters(worktreePaths(worktree), config, gitCallOf(context));
  if (!worktree.isReused) assertCheckedOut(used.drivers);
  for (const { name, distrust } of used.drivers) {
    if (distrust === undefined) continue;
    context.warn(
      `The filter \`${name}\` runs only inside the sandbox: ${distrust}, which a guest could change.`,
    );
  }
  return { inside: { drivers: config.drivers, attributesFile: used.attributesFile }, used };
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
  /** Called with the branch's new tip, if the branch has moved. */
  readonly onTip?: ((tip: HandedOverTip) => void) | undefined;
}

/** Copies changes made inside to the host's worktree, if the sandbox does not share it. */
export async function syncOut(
  handle: OwnGitHandle,
  { warn, onRecovered, onTip }: SyncOutListeners,
): Promise<void> {
  if (handle.handOver === undefined) {
    for (const message of (await handle.syncOut?.()) ?? []) warn(message);
    return;
  }
  const { recovered, warnings, tip } = await handle.handOver();
  if (tip !== undefined) onTip?.(tip);
  for (const one of recovered) onRecovered?.(one);
  for (const message of warnings) warn(message);
}

/** Resources to release together with the sandbox. */
interface MadeForSandbox {
  readonly finalizerFolder: FinalizerFolder | undefined;
  readonly protection: CheckoutProtection | undefined;
  readonly references: References | undefined;
}

async function startSandbox(
  { options, signal, warn }: PlaceContext,
  { sandbox, worktree, env, readonlyPaths, egress, modelAccess, knownConfig, tipReads }: OpenSandboxOptions,
  { finalizerFolder, protection, references }: MadeForSandbox,
): Promise<StoppableHandle> {
  const { copyToWorktree = [] } = options;
  const sockets = sandbox.tag === 'bind-mount' ? hideHostSockets(worktree.path) : [];
  try {
    const creation: OwnGitCreateOptions = {
      worktreePath: worktree.path,
      hostRepoPath: worktree.repository.mainTopLevel,
      mounts: [...(protection?.mounts ?? []), ...sockets, ...(finalizerFolder?.mounts ?? [])],
      env,
      git: {
        commonDir: worktree.commonDir,
        gitDir: worktree.gitDir,
        ...(knownConfig !== undefined && { configEntries: knownConfig }),
        ...(references !== undefined && { references }),
        ...(tipReads !== undefined && { tipReads }),
      },
      readonlyPaths,
      sends: {
        branches: worktree.repository.branch === undefined ? [] : [worktree.repository.branch],
        paths: copyToWorktree,
      },
      signal,
      ...(egress !== undefined && { egress }),
      ...(modelAccess !== undefined && { modelAccess }),
    };
    const started = await startedInTime(sandbox.create(creation), signal);
    assertHandle(sandbox.name, started);
    const { handle, end } = guardMounts(started, protection?.mountPoints ?? []);
    return stoppableHandle(sandbox.name, handle, {
      timeoutMs: options.timeouts.sandboxCloseMs,
      warn,
      afterClose: async () => {
        end();
        await protection?.remove();
      },
    });
  } catch (error) {
    await protection?.remove();
    await finalizerFolder?.remove();
    if (signal.aborted) throw signal.reason;
    if (SandboxError.isInstance(error) || RepositoryError.isInstance(error)) throw error;
    throw new SandboxError(
      `The sandbox \`${sandbox.name}\` could not be started: ${reasonOf(error)} Run \`truecast doctor\`.`,
      { code: 'start', cause: error },
    );
  }
}

/**
 * Stops waiting on abort, because a provider can ignore the signal. A sandbox that starts later is
 * closed again.
 */
async function startedInTime(creating: Promise<SandboxHandle>, signal: AbortSignal): Promise<SandboxHandle> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([creating, aborted.promise]);
  } catch (error) {
    void creating.then((handle) => handle.close()).catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
