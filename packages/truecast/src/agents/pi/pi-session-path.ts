/** Session paths of Pi: `<sessions>/--<encoded cwd>--/<time>_<id>.jsonl`. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HostSessionLookup } from '../../ports/agent-sessions.ts';
import { newestFile } from '../sessions/host-sessions.ts';
import { isSessionId } from '../sessions/session-id.ts';

const SESSION_FILE = /(?:^|\/)(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z_([\w-]+)\.jsonl)$/u;

export interface PiHostSessions {
  readonly root: string;
  /** True if all sessions are stored directly in `root`, whatever their directory. */
  readonly isFlat: boolean;
}

/** Encodes a directory like Pi's folder names. Matches Pi 0.73.1 and 1.5.2. */
export function encodePiDirectory(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/u, '').replaceAll(/[/\\:]/gu, '-')}--`;
}

/**
 * Returns the host's session store: `PI_CODING_AGENT_SESSION_DIR`, or `sessions` under
 * `PI_CODING_AGENT_DIR`, else under `~/.pi/agent`.
 */
export function piHostSessions(): PiHostSessions {
  const sessionDir = process.env['PI_CODING_AGENT_SESSION_DIR'] ?? '';
  if (sessionDir !== '') return { root: sessionDir, isFlat: true };
  const agentDir = process.env['PI_CODING_AGENT_DIR'] ?? '';
  return {
    root: join(agentDir === '' ? join(homedir(), '.pi', 'agent') : agentDir, 'sessions'),
    isFlat: false,
  };
}

/** Returns the file name if `path` belongs to that session, or undefined. */
export function piSessionFileName(path: string, id: string): string | undefined {
  const [, name, foundId] = SESSION_FILE.exec(path.replaceAll('\\', '/')) ?? [];
  return foundId === id ? name : undefined;
}

/**
 * Finds a session on the host by its id, whatever its working directory. Of several matches,
 * returns the one modified last.
 */
export async function findPiSessionOnHost(id: string, { root }: PiHostSessions): Promise<HostSessionLookup> {
  if (!isSessionId(id)) return { path: undefined, searchedRoot: root };
  const entries = await readdir(root, { recursive: true }).catch(() => []);
  const found = entries.filter((entry) => piSessionFileName(entry, id) !== undefined);
  return { path: await newestFile(found.map((entry) => join(root, entry))), searchedRoot: root };
}
