/** Start of a sandbox, with the results of the steps before it. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { hideHostSockets } from '../review/host-sockets.ts';
import type { TipRead } from '../../git/command/tip-read.ts';
import type { ConfigEntry } from '../../git/command/config-entries.ts';
import type { UsedFilters } from '../../git/filters/used-filters.ts';
import type { WorktreeSnapshot } from '../../git/worktree/verify.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import type { FinalizerFolder } from '../finalizer/finalizer-folder.ts';
import type { DecidedEgress } from '../options/decide-egress.ts';
import type { CheckoutProtection } from '../review/protect-checkout.ts';
import type { WorkReview } from '../review/work-review.ts';
import type { PlaceContext } from '../context/run-context.ts';
import { filterEnvironment, type InsideFilters } from './filters-inside.ts';
import type { OwnGitCreateOptions } from '../../ports/own-git.ts';
import type { SandboxHandle, SandboxProvider } from '../../ports/sandbox-provider.ts';
import { assertHandle, reasonOf } from './checked-results.ts';
import { guardMounts } from './guard-mounts.ts';
import { stoppableHandle, type StoppableHandle } from './stoppable-handle.ts';

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

/** Results of the steps so far. */
export interface SandboxDraft {
  readonly context: PlaceContext;
  readonly opened: OpenSandboxOptions;
  references?: References | undefined;
  filters?: Filters;
  snapshot?: WorktreeSnapshot | undefined;
  review?: WorkReview;
  finalizerFolder?: FinalizerFolder | undefined;
  protection?: CheckoutProtection | undefined;
  handle?: StoppableHandle;
}

export interface Filters {
  /** Every configured driver. */
  readonly inside: InsideFilters;
  readonly used: UsedFilters;
}

/** Returns the result of an earlier step. */
export function made<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new SandboxError('Expected an earlier step to have made this part, got undefined.', {
      code: 'start',
    });
  }
  return value;
}

/**
 * Starts the sandbox.
 *
 * @throws SandboxError; RepositoryError; the signal's reason on abort
 */
export async function startSandbox(opening: SandboxDraft): Promise<StoppableHandle> {
  const { context, opened, protection } = opening;
  const { options, signal, warn } = context;
  const { sandbox } = opened;
  try {
    const started = await startedInTime(sandbox.create(creationOf(opening)), signal);
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
    if (signal.aborted) throw signal.reason;
    if (SandboxError.isInstance(error) || RepositoryError.isInstance(error)) throw error;
    throw new SandboxError(
      `The sandbox \`${sandbox.name}\` could not be started: ${reasonOf(error)} Run \`truecast doctor\`.`,
      { code: 'start', cause: error },
    );
  }
}

function creationOf({
  context,
  opened,
  filters,
  protection,
  finalizerFolder,
  references,
}: SandboxDraft): OwnGitCreateOptions {
  const { sandbox, worktree, env, readonlyPaths, egress, modelAccess, knownConfig, tipReads } = opened;
  const sockets = sandbox.tag === 'bind-mount' ? hideHostSockets(worktree.path) : [];
  const { inside, used } = made(filters);
  return {
    worktreePath: worktree.path,
    hostRepoPath: worktree.repository.mainTopLevel,
    mounts: [...(protection?.mounts ?? []), ...sockets, ...(finalizerFolder?.mounts ?? [])],
    env: { ...env, ...filterEnvironment(inside, env) },
    git: {
      commonDir: worktree.commonDir,
      gitDir: worktree.gitDir,
      ...(knownConfig !== undefined && { configEntries: knownConfig }),
      ...(references !== undefined && { references }),
      ...(tipReads !== undefined && { tipReads }),
    },
    readonlyPaths: [...readonlyPaths, ...(used.attributesFile === undefined ? [] : [used.attributesFile])],
    sends: {
      branches: worktree.repository.branch === undefined ? [] : [worktree.repository.branch],
      paths: context.options.copyToWorktree ?? [],
    },
    signal: context.signal,
    ...(egress !== undefined && { egress }),
    ...(modelAccess !== undefined && { modelAccess }),
  };
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
