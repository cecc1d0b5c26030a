/**
 * What runs left on this machine, and its removal: worktrees, logs, records, and the references in clones of
 * addresses. Branches of a repository at a path are its results, and stay.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { GIT_TIMEOUT_MS } from 'truecast/internal/git/command/git';
import { acquireLock, withLock } from 'truecast/internal/git/command/lock';
import { updateClone, type RemoteClone } from 'truecast/internal/git/remote/remote-clone';
import {
  listRunIds,
  lockReferences,
  readRunReferences,
  removeRunReferences,
  type LeftReference,
} from 'truecast/internal/git/remote/run-references';
import { openRepository, type Repository } from 'truecast/internal/git/repository/repository';
import {
  executionKey,
  listExecutionKeys,
  openExecutionStore,
  readExecutionId,
} from 'truecast/internal/run/executions/execution-store';
import {
  listEndedWorktrees,
  lockEndedRun,
  readEndedWorktree,
  removeEndedWorktree,
  removeMovedWorktrees,
  type EndedWorktreeState,
} from 'truecast/internal/run/leftovers/ended-worktree';
import type { RemovedRemains } from '../../contract/observed-work.ts';
import type { CleanUpPorts, CleanableRun, RunRemains } from '../../runs/agent-executor.ts';
import { decideCleanUp, isDue, type LeftPlaceFacts } from '../../runs/decide-clean-up.ts';
import { MAX_BLOB_BYTES } from '../../runs/run-blob.ts';
import type { OpenRepository } from './open-repositories.ts';
import { artifactFiles } from './store-artifacts.ts';

/** A branch that another program deletes on the remote is seen after this time. */
const FRESH_MS = 60_000;
/** A run that starts waits for the clean-up of one run: the files of a worktree can be many. */
const START_WAIT_MS = 300_000;

/** Opens the list of runs that have parts on this machine. */
export function openRunRemains(repositories: readonly OpenRepository[]): RunRemains {
  let after = '';
  return {
    async next(limit) {
      const keys: {
        readonly position: string;
        readonly id: () => string | undefined;
        readonly at: number;
      }[] = [];
      for (const [at, repository] of repositories.entries()) {
        for (const [key, id] of await listKeys(repository)) {
          const known = id ?? (() => readExecutionId(repository.stateFolder, key));
          keys.push({ position: `${String(at).padStart(4, '0')} ${key}`, id: known, at });
        }
      }
      keys.sort((one, other) => (one.position < other.position ? -1 : 1));
      const rest = keys.filter(({ position }) => position > after).slice(0, limit);
      after = rest.length < limit ? '' : (rest.at(-1)?.position ?? '');
      // Several runs of one pass ask a remote that does not answer once.
      const unreachable = new Set<RemoteClone>();
      return rest.flatMap(({ id: read, at }) => {
        const [id, repository] = [read(), repositories[at]];
        if (id === undefined || repository === undefined) return [];
        return [{ id, cleanUp: (ports: CleanUpPorts) => cleanUp({ repository, unreachable }, id, ports) }];
      });
    },
  };
}

/** Lists the runs of a repository by the keys of their records. Those without a record have an id. */
async function listKeys({
  stateFolder,
  remote,
}: OpenRepository): Promise<ReadonlyMap<string, (() => string) | undefined>> {
  const keys = new Map<string, (() => string) | undefined>();
  const ids = [...listLogs(stateFolder)];
  if (remote !== undefined) ids.push(...(await listRunIds(remote.clone, { timeoutMs: GIT_TIMEOUT_MS })));
  for (const id of ids) keys.set(executionKey(id), () => id);
  for (const key of listExecutionKeys(stateFolder)) if (!keys.has(key)) keys.set(key, undefined);
  return keys;
}

/** Lists the ids of runs that have a log here. The names of others do not look like those of runs. */
function listLogs(stateFolder: string): readonly string[] {
  const folder = dirname(artifactFiles(stateFolder, 'x').log);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => /^truecast-runs-([\w-]+)\.log$/u.exec(name)?.[1] ?? []);
}

interface RemainsPlace {
  readonly repository: OpenRepository;
  readonly unreachable: Set<RemoteClone>;
}

async function cleanUp(
  place: RemainsPlace,
  id: string,
  ports: CleanUpPorts,
): Promise<RemovedRemains | undefined> {
  const { repository } = place;
  const first = await ports.readRun();
  if (first === undefined || !isDue(first, ports)) return undefined;
  if (!(await fetchBefore(place, first))) return undefined;
  const git = await openRepository(repository.path, { timeoutMs: GIT_TIMEOUT_MS });
  try {
    return await whileNoneStarts(repository, async () => {
      await removeMovedWorktrees(git);
      return removeRemains(repository, git, { id, ports });
    });
  } catch (error) {
    // A run works on the branch, or fetches. The next pass looks again.
    if (RepositoryError.isInstance(error) && error.code === 'locked') return undefined;
    throw error;
  }
}

/**
 * Fetches, so that a branch that is gone from the remote does not count as pushed. Returns false if the remote did
 * not answer before.
 */
async function fetchBefore(
  { repository: { remote }, unreachable }: RemainsPlace,
  run: CleanableRun,
): Promise<boolean> {
  if (remote === undefined) return true;
  const { clone, limits } = remote;
  if (unreachable.has(clone)) return false;
  if ((await readRunReferences(clone, run, { timeoutMs: GIT_TIMEOUT_MS })).length === 0) return true;
  unreachable.add(clone);
  await updateClone(clone, { timeoutMs: limits.fetchMs, notBefore: Date.now() - FRESH_MS });
  unreachable.delete(clone);
  return true;
}

const CLEAN_UP_LOCK = {
  key: 'clean-up',
  subject: 'The clean-up of ended runs',
  command: 'remove what ended runs left',
};

/** Runs work while no run of the repository can start on this machine. @throws RepositoryError `locked` */
async function whileNoneStarts<T>(
  { commonDir }: Pick<OpenRepository, 'commonDir'>,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await acquireLock({ ...CLEAN_UP_LOCK, commonDir, now: new Date() });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/**
 * Waits for a clean-up that works. Call it with a claimed run: a clean-up that begins later finds its row, and leaves
 * its branch alone.
 */
export async function afterCleanUp(
  { commonDir }: Pick<OpenRepository, 'commonDir'>,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const lock = { ...CLEAN_UP_LOCK, commonDir, now: new Date(), waitMs: START_WAIT_MS, signal };
  await withLock(lock, () => Promise.resolve()).catch((error: unknown) => {
    // A stop and a full disk are seen by the execution itself.
    if (!signal.aborted && RepositoryError.isInstance(error) && error.code === 'locked') throw error;
  });
}

async function removeRemains(
  { remote, stateFolder }: OpenRepository,
  git: Repository,
  { id, ports }: { readonly id: string; readonly ports: CleanUpPorts },
): Promise<RemovedRemains> {
  const store = openExecutionStore(stateFolder, id);
  const record = store.read();
  const names = (await ports.readRun())?.branches ?? [];
  const branches = [...new Set([...names, ...(record?.branch === undefined ? [] : [record.branch])])];
  const ended = { id, branches, worktreePath: record?.worktreePath };
  const options = {
    repository: git,
    gitTimeoutMs: GIT_TIMEOUT_MS,
    maxPatchBytes: MAX_BLOB_BYTES,
    readPatch: ports.readPatch,
  };
  const call = { timeoutMs: GIT_TIMEOUT_MS };
  const locks = [await lockEndedRun(git, ended)];
  try {
    if (remote !== undefined) locks.push(await lockReferences(remote.clone));
    // Under the locks: a run that continues this one can have been created since.
    const run = await ports.readRun();
    if (run === undefined) return NOTHING;
    const worktrees = await listEndedWorktrees(ended, options);
    const states: EndedWorktreeState[] = [];
    for (const path of worktrees) states.push(await readEndedWorktree(path, options));
    const references = remote === undefined ? [] : await readRunReferences(remote.clone, ended, call);
    const place: LeftPlaceFacts = {
      worktree: worstOf(['unstored', 'stored', 'clean'], states),
      references: worstOf(
        ['unpushed', 'pushed', 'on_remote'],
        references.map((reference) => stateOf(reference, run)),
      ),
    };
    const decision = decideCleanUp(run, place, ports);
    if (decision.worktree) for (const path of worktrees) await removeEndedWorktree(path, options);
    if (decision.references && remote !== undefined) {
      await removeRunReferences(remote.clone, references, call);
    }
    const logs = decision.log ? removeLogs(stateFolder, id) : 0;
    if (decision.record) store.remove();
    return {
      worktrees: decision.worktree ? worktrees.length : 0,
      references: decision.references ? references.length : 0,
      logs,
    };
  } finally {
    for (const lock of locks) await lock.release();
  }
}

const NOTHING: RemovedRemains = { worktrees: 0, references: 0, logs: 0 };

function worstOf<T extends string>(order: readonly T[], states: readonly T[]): T | 'none' {
  return order.find((state) => states.includes(state)) ?? 'none';
}

/** The base commit came from the remote. */
function stateOf(
  { name, sha, isOnRemote }: LeftReference,
  { pushedSha }: CleanableRun,
): Exclude<LeftPlaceFacts['references'], 'none'> {
  if (isOnRemote) return 'on_remote';
  return sha === pushedSha || !name.startsWith('refs/heads/') ? 'pushed' : 'unpushed';
}

function removeLogs(stateFolder: string, id: string): number {
  const { log, recording } = artifactFiles(stateFolder, id);
  const count = existsSync(log) ? 1 : 0;
  rmSync(recording, { force: true });
  rmSync(log, { force: true });
  return count;
}
