/**
 * Lazy archive: imports the reader of kept runs at the first request for one. With it comes `run()`, a tenth of the
 * time of a server's start.
 */
import type { ReadRunWork, RunArchive } from '../../contract/run-archive.ts';
import type { AgentExecutor } from '../../runs/agent-executor.ts';
import type { ChangesSource } from './run-changes.ts';

/** The repositories of durable runs. */
interface WorkSource extends Pick<ChangesSource, 'mask'> {
  readonly folderOf: AgentExecutor['folderOf'];
}

/** Opens the archive of a state folder and its repository at the first call. */
export function lazyArchive(stateFolder: string, repository: ChangesSource): RunArchive {
  const open = async (): Promise<RunArchive> => {
    const { openRunArchive } = await import('./run-archive.ts');
    return openRunArchive(stateFolder, repository);
  };
  return {
    list: async (query) => (await open()).list(query),
    changes: async (sinceMs) => (await open()).changes(sinceMs),
    async *outcomes() {
      return yield* (await open()).outcomes();
    },
    read: async (id) => (await open()).read(id),
    events: async (id, query) => (await open()).events(id, query),
    transcript: async (id, range) => (await open()).transcript(id, range),
    diff: async (id, commit, signal) => (await open()).diff(id, commit, signal),
  };
}

/** Reads the work of durable runs, in the repositories of this process. */
export function workReader({ folderOf, mask }: WorkSource): ReadRunWork {
  return async (repository, ids, choice) => {
    const folder = folderOf?.(repository);
    if (folder === undefined) return undefined;
    const { readRunChanges } = await import('./run-changes.ts');
    return readRunChanges({ folder, mask }, ids, choice);
  };
}
