/**
 * Workplace of batch items: a separate branch for each item, or a shared worktree for consecutive
 * items.
 */
import { toStreamAgent } from '../../agents/stream/line-agent.ts';
import { createSandbox } from '../create-sandbox.ts';
import { temporaryBranchName, isTemporaryBranch } from '../../git/command/branch-name.ts';
import { openRepository, pathsOf, type Repository } from '../../git/repository/repository.ts';
import { run } from '../run.ts';
import type { RunPromise } from '../events/run-events.ts';
import type { RunOptions, RunResult } from '../options/run-options.ts';
import type { AnyRunResult, ReadOnlyRunResult } from '../options/read-only.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { divideTimeouts, type ReadOnlySandbox } from '../options/sandbox-options.ts';
import type { BatchItem } from './batch-queue.ts';
import type { BatchTemplate } from './batch-template.ts';
import type { ItemOptions } from './item-options.ts';
import type { SharedBudget } from '../accounting/shared-budget.ts';
import type { NormalizedBatchOptions, SharedRunOptions } from './normalize-batch-options.ts';
import { randomBytes } from 'node:crypto';
import { git, type GitCallOptions } from '../../git/command/git.ts';

/**
 * A started run. Wrapped in an object, because `await` on the bare promise would wait for the run's
 * end.
 */
export interface BegunRun {
  readonly running: RunPromise<AnyRunResult>;
}

/** An item, and its options. */
export interface BegunItem {
  readonly item: BatchItem;
  readonly own: ItemOptions;
}

/** Workplace of one worker, used for one item at a time. */
export interface ItemPlace {
  begin(begun: BegunItem): Promise<BegunRun>;
  /** Called when an item's run has ended. `result` is undefined if the run failed. */
  settle(result: AnyRunResult | undefined): Promise<void>;
  close(): Promise<void>;
}

export interface ItemPlaceOptions {
  readonly normalized: NormalizedBatchOptions;
  readonly template: BatchTemplate;
  /** Undefined if each item has its own. */
  readonly repository: Repository | undefined;
  readonly signal: AbortSignal;
  /** Budget of all runs together. */
  readonly budget: SharedBudget | undefined;
}

/** Creates the workplace of one worker. */
export function createItemPlace(options: ItemPlaceOptions): ItemPlace {
  return options.normalized.batch.readOnly ? sharedPlace(options) : ownPlace(options);
}

function ownPlace({ normalized, template, repository, signal, budget }: ItemPlaceOptions): ItemPlace {
  const shared = sharedOptions(normalized, budget);
  let branch = '';
  let cwd = '';
  return {
    begin({ item, own }) {
      ({ cwd } = own);
      branch = itemBranchName(item, {
        prefix: normalized.batch.branchPrefix,
        name: shared.name ?? 'batch',
      });
      const running: RunPromise<RunResult> = run({
        ...shared,
        ...runOptionsOf(own),
        promptFile: template.path,
        promptArgs: template.argsOf(item.input),
        branchStrategy: { type: 'branch', branch },
        signal,
      });
      return Promise.resolve({ running });
    },
    async settle(result) {
      if (result?.commits?.length === 0 && result.preservedWorktreePath === undefined) {
        await deleteUnusedItemBranch(repository ?? cwd, branch, { timeoutMs: normalized.gitTimeoutMs });
      }
    },
    close: () => Promise.resolve(),
  };
}

function runOptionsOf({ cwd, attachments }: ItemOptions): Pick<RunOptions, 'cwd' | 'attachments'> {
  return { cwd, ...(attachments !== undefined && { attachments }) };
}

/** The batch's budget replaces the budget of each run. */
function sharedOptions(
  { run }: NormalizedBatchOptions,
  budget: SharedBudget | undefined,
): Omit<SharedRunOptions, 'budget'> & { readonly budget?: SharedBudget } {
  const { budget: _budget, ...shared } = run;
  // An explicit `logging` option keeps the items from printing.
  return { logging: { type: 'file' }, ...shared, ...(budget !== undefined && { budget }) };
}

function sharedPlace({ normalized, template, signal, budget }: ItemPlaceOptions): ItemPlace {
  const {
    agent,
    sandbox,
    cwd: _cwd,
    attachments: _all,
    copyToWorktree,
    hooks,
    timeouts = {},
    ...shared
  } = sharedOptions(normalized, budget);
  const divided = divideTimeouts(timeouts);
  let opened: ReadOnlySandbox | undefined;
  let openedIn: string | undefined;
  let before: string | undefined;
  const close = async (): Promise<void> => {
    await opened?.close();
    opened = undefined;
  };
  return {
    async begin({ item, own }) {
      if (openedIn !== own.cwd) await close();
      openedIn = own.cwd;
      if (opened === undefined) {
        opened = await createSandbox({
          readOnly: true,
          sandbox,
          agents: [toStreamAgent(agent)],
          signal,
          cwd: own.cwd,
          ...(copyToWorktree !== undefined && { copyToWorktree }),
          ...(hooks !== undefined && { hooks }),
          timeouts: divided.steps,
        });
        before = await stateOf(opened, sandbox.tag);
      }
      const running: RunPromise<ReadOnlyRunResult> = opened.run({
        ...shared,
        ...(own.attachments !== undefined && { attachments: own.attachments }),
        timeouts: divided.run,
        agent,
        promptFile: template.path,
        promptArgs: template.argsOf(item.input),
        signal,
      });
      return { running };
    },
    async settle(result) {
      // The next item must not read what this item wrote.
      const isUntouched =
        result !== undefined && before !== undefined && (await stateOf(opened, sandbox.tag)) === before;
      if (!isUntouched) await close();
    },
    close,
  };
}

/** The host's references are shared with other runs. A sandbox's own ones are not. */
const OWN_REFERENCES = 'git for-each-ref && git stash list';

/** Returns the files that an item could have changed, its HEAD and the references. Undefined if unknown. */
async function stateOf(
  sandbox: ReadOnlySandbox | undefined,
  tag: SandboxProvider['tag'],
): Promise<string | undefined> {
  const references = tag === 'none' ? 'true' : OWN_REFERENCES;
  const state = await sandbox?.exec(
    `git status --porcelain --ignored && git rev-parse --symbolic-full-name HEAD && git rev-parse HEAD && ${references}`,
  );
  return state?.exitCode === 0 ? state.stdout : undefined;
}

/** Parts of a branch name. */
export interface ItemBranchOptions {
  readonly prefix: string | undefined;
  /** Included in a temporary name. */
  readonly name: string;
}

const MAX_ID_CHARS = 60;

/** Returns a new branch name. A repeated item must not reuse a branch with unfinished work. */
function itemBranchName({ input, line }: BatchItem, { prefix, name }: ItemBranchOptions): string {
  const random = randomBytes(3);
  if (prefix === undefined) return temporaryBranchName({ name, now: new Date(), random });
  const id = Object.hasOwn(input, 'id') ? input['id'] : undefined;
  const slug = (typeof id === 'string' || typeof id === 'number' ? String(id) : '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, MAX_ID_CHARS)
    .replaceAll(/^-+|-+$/gu, '');
  return `${prefix}/${slug === '' ? line : slug}-${random.toString('hex')}`;
}

/**
 * Deletes an item's branch that has no commits. Temporary branches are deleted with their worktree.
 */
async function deleteUnusedItemBranch(
  place: Repository | string,
  branch: string,
  options: GitCallOptions,
): Promise<void> {
  if (isTemporaryBranch(branch)) return;
  const repository = typeof place === 'string' ? await openRepository(place, options) : place;
  await git(['update-ref', '-d', `refs/heads/${branch}`], {
    ...options,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
}
