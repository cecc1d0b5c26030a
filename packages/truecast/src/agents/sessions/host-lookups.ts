/** Lookups of captured sessions in a store on the host. */
import type { AgentSessionStorage, HostSessionLookup } from '../../ports/agent-sessions.ts';
import { newestFile } from './host-sessions.ts';
import { readHostSession } from './read-host-session.ts';

/** Lookup rules of one store. */
export interface HostLookupRules {
  find(id: string): Promise<HostSessionLookup>;
  /** Returns the path of a session before its capture, if the store determines it. */
  knownPath(id: string, cwd: string): string | undefined;
}

/** The members of a session storage that read the host's store. */
export type HostLookups = Pick<
  AgentSessionStorage,
  'readHostSession' | 'existsOnHost' | 'hostSessionFilePath' | 'findByIdOnHost'
> & {
  /** Remembers the path of a captured session, and returns it. */
  remember(id: string, path: string): string;
};

/** Creates the lookups of one store. */
export function hostLookups({ find, knownPath }: HostLookupRules): HostLookups {
  const captured = new Map<string, string>();
  const existing = async (cwd: string, id: string): Promise<string | undefined> => {
    const known = knownPath(id, cwd);
    return known === undefined ? (await find(id)).path : newestFile([known]);
  };
  return {
    remember(id, path) {
      captured.set(id, path);
      return path;
    },
    async readHostSession(cwd, id) {
      const path = await existing(cwd, id);
      return path === undefined ? undefined : readHostSession(path);
    },
    existsOnHost: async (cwd, id) => (await existing(cwd, id)) !== undefined,
    hostSessionFilePath: (cwd, id) => captured.get(id) ?? knownPath(id, cwd),
    findByIdOnHost: find,
  };
}
