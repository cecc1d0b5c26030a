/** Moves a stored session from one host to another: its file, and where the agent's program looks for it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative } from 'node:path';
import type { AgentSessionStorage } from '../../ports/agent-sessions.ts';
import { readHostSession } from './host-sessions.ts';
import { isSessionId } from './session-id.ts';

/** A session file. `source` is its path below the folder in which the program keeps its sessions. */
export interface MovedSession {
  readonly source: string;
  readonly text: string;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Reads a session of this host. Undefined if it has none, or if only the agent knows its files. */
export async function exportSession(
  storage: AgentSessionStorage | undefined,
  sessionId: string,
): Promise<MovedSession | undefined> {
  if (storage === undefined || storage.isKeptByAgent === true) return undefined;
  const { path, searchedRoot } = await storage.findByIdOnHost(sessionId);
  if (path === undefined) return undefined;
  const source = relative(searchedRoot, path);
  return isBelow(source) ? { source, text: await readHostSession(path) } : undefined;
}

/**
 * Stores a session on this host, instead of an older one. Returns false if the agent's storage does not find
 * it there.
 */
export async function importSession(
  storage: AgentSessionStorage | undefined,
  sessionId: string,
  { source, text }: MovedSession,
): Promise<boolean> {
  if (storage === undefined || storage.isKeptByAgent === true) return false;
  if (!isSessionId(sessionId) || !isBelow(source)) return false;
  const { path: known, searchedRoot } = await storage.findByIdOnHost(sessionId);
  const path = known ?? join(searchedRoot, source);
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  await writeFile(path, text, { mode: FILE_MODE });
  return (await storage.findByIdOnHost(sessionId)).path !== undefined;
}

/** Another machine wrote the path. */
function isBelow(path: string): boolean {
  return path !== '' && !isAbsolute(path) && !normalize(path).split(/[/\\]/u).includes('..');
}
