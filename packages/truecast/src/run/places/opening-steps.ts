/**
 * Steps to a started sandbox, in their order. Each says why it is where it is: the host must know the
 * state before a guest, and a guest must find every protection in place.
 */
import { dirname } from 'node:path';
import { assertStateOutside } from '@truecast/host/internal/state-home';
import { makeFinalizerFolder } from '../finalizer/finalizer-folder.ts';
import type { GitCallOptions } from '../../git/command/git.ts';
import { listReferences } from '../../guest-git/store/lay-out-store.ts';
import { protectWorktree } from '../../git/worktree/verify.ts';
import { findUsedFilters, type UsedFilters } from '../../git/filters/used-filters.ts';
import { worktreePaths, type LockedWorktree } from '../../git/worktree/worktree.ts';
import { removeLeftAttachments } from '../attachments/left-attachments.ts';
import { removeLeftPlaceholders } from '../review/placeholders.ts';
import { protectCheckout } from '../review/protect-checkout.ts';
import { startWorkReview } from '../review/work-review.ts';
import { assertCheckedOut, assertFilterPrograms } from './filters-inside.ts';
import { guardSearchPath } from '../../support/search-path.ts';
import { runSandboxHooks } from '../prepare/run-hooks.ts';
import { gitCallOf, type PlaceContext } from '../context/run-context.ts';
import type { PlaceSettings } from '../options/place-options.ts';
import { warnAboutPartialClone, warnAboutSubmodules } from '../prepare/warn-about-own-git.ts';
import {
  made,
  startSandbox,
  type Filters,
  type SandboxDraft,
  type OpenSandboxOptions,
  type References,
} from './start-sandbox.ts';

export interface OpeningStep {
  readonly name: string;
  /** Why it is there, and why not later or earlier. */
  readonly why: string;
  take(opening: SandboxDraft): Promise<void> | void;
}

/**
 * The steps. A guest runs from `sandbox` on.
 *
 * @throws what the step says: UsageError, RepositoryError, SandboxError, or the signal's reason
 */
export const OPENING_STEPS: readonly OpeningStep[] = [
  {
    name: 'state folder',
    why: 'A guest that can write it forges locks and records. First: nothing is made for it.',
    take({ opened }) {
      if (isGuest(opened)) assertStateNotWritable(opened.worktree);
    },
  },
  {
    name: 'search path',
    why: 'The host starts git in the next steps, and must not find it where a guest writes.',
    take({ opened }) {
      const { worktree } = opened;
      if (isGuest(opened)) guardSearchPath([dirname(worktree.commonDir), worktree.path]);
    },
  },
  {
    name: 'warnings',
    why: 'What the guest will lack is told before anyone waits for it.',
    async take({ context, opened }) {
      const { sandbox, worktree } = opened;
      const { warn } = context;
      await warnAboutSubmodules(worktree, { ...gitCallOf(context), isGuest: isGuest(opened), warn });
      await warnAboutPartialClone({ sandbox, worktree, warn });
    },
  },
  {
    name: 'state before the guest',
    why: "Filters, files that run code, and what the review compares with: later, they could be the guest's. All three only read.",
    take: readBefore,
  },
  {
    name: 'finalizer folder',
    why: 'A mount, and nothing can be mounted later.',
    async take(opening) {
      if (opening.opened.hasFinalizerFolder) opening.finalizerFolder = await makeFinalizerFolder();
    },
  },
  {
    name: 'files of killed runs',
    why: 'Placeholders and attachments would count as files of the user in the next step.',
    async take({ opened }) {
      await removeLeftPlaceholders(opened.worktree.commonDir);
      await removeLeftAttachments(opened.worktree.commonDir);
    },
  },
  {
    name: 'checkout protection',
    why: 'Read-only mounts of the files that the review found. Without them, the guest does not start.',
    take: protectHead,
  },
  {
    name: 'sandbox',
    why: 'The first step in which code of a guest can run.',
    async take(opening) {
      opening.handle = await startSandbox(opening);
    },
  },
  {
    name: 'filter programs',
    why: 'Hooks and agents can call git, which would commit unfiltered files.',
    async take({ context, opened, filters, handle }) {
      const { name: sandboxName } = opened.sandbox;
      const { used } = made(filters);
      await assertFilterPrograms(used, made(handle), { sandboxName, signal: context.signal });
    },
  },
  {
    name: 'hooks',
    why: 'Last: they can run untrusted code, such as an install script, and need all of the above.',
    async take({ context, opened, handle }) {
      const { options, signal } = context;
      await runSandboxHooks(options.hooks, made(handle), { worktreePath: opened.worktree.path, signal });
    },
  },
];

function isGuest({ sandbox }: OpenSandboxOptions): boolean {
  return sandbox.tag !== 'none';
}

function hasOwnGit({ sandbox }: OpenSandboxOptions): boolean {
  return sandbox.tag === 'bind-mount' && sandbox.hasOwnGit === true;
}

/** Merging checks out the guest's commits, and git overwrites ignored files. */
function assertStateNotWritable({ path, strategy, repository }: LockedWorktree): void {
  assertStateOutside(path);
  if (strategy.type === 'merge-to-head') assertStateOutside(repository.topLevel);
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

async function readBefore(opening: SandboxDraft): Promise<void> {
  const { context, opened } = opening;
  const { sandbox, worktree, knownConfig } = opened;
  const hasGuest = isGuest(opened);
  const call = gitCallOf(context);
  // Git lists them while the files are read.
  if (hasOwnGit(opened)) opening.references = opened.references ?? listEarly(call, worktree);
  const reviewed = {
    worktree,
    hasGuest,
    canSetId: sandbox.tag === 'bind-mount' && sandbox.preventsSetId !== true,
    isFresh: isFresh(worktree, context.options),
    knownConfig: hasGuest ? knownConfig : undefined,
  };
  [opening.filters, opening.snapshot, opening.review] = await Promise.all([
    hasGuest ? readFilters(context, worktree) : { inside: NO_FILTERS, used: NO_FILTERS },
    hasGuest ? protectWorktree(worktree, { ...call, hasOwnGit: hasOwnGit(opened) }) : undefined,
    startWorkReview(reviewed, call),
  ]);
}

/**
 * True while the worktree contains only its base commit: nothing was copied, and no hook ran in it.
 */
function isFresh({ isReused }: LockedWorktree, { hooks, copyToWorktree = [] }: PlaceSettings): boolean {
  return !isReused && copyToWorktree.length === 0 && (hooks?.host?.onWorktreeReady ?? []).length === 0;
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

async function protectHead(opening: SandboxDraft): Promise<void> {
  const { context, opened, review } = opening;
  const { branchStrategy, editablePaths = [] } = context.options;
  const { sandbox, worktree } = opened;
  if (branchStrategy.type !== 'head' || sandbox.tag !== 'bind-mount') return;
  const isOnHost = sandbox.hasOwnPrograms === false;
  const files = made(review).initialFiles;
  opening.protection = await protectCheckout({ worktree, files, editablePaths, isOnHost });
}
