/** Owns where Pi keeps its sessions: `<sessions>/--<encoded cwd>--/<time>_<id>.jsonl`. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { newestFile, type HostSessionLookup } from './host-sessions.ts';
import { isSessionId } from './session-id.ts';

const SESSION_FILE = /(?:^|\/)(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z_([\w-]+)\.jsonl)$/u;

/** Where the host's sessions are. */
export interface PiHostSessions {
  readonly root: string;
  /** True when all sessions lie in `root` itself, whatever their directory. */
  readonly isFlat: boolean;
}

/** Encodes a directory as Pi names its folder: as Pi 0.73.1 does it. */
export function encodePiDirectory(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/u, '').replaceAll(/[/\\:]/gu, '-')}--`;
}

/** Returns the host's sessions: under `PI_CODING_AGENT_SESSION_DIR`, or `sessions` of `PI_CODING_AGENT_DIR`, else of `~/.pi/agent`. */
export function piHostSessions(): PiHostSessions {
  const sessionDir = process.env['PI_CODING_AGENT_SESSION_DIR'] ?? '';
  if (sessionDir !== '') return { root: sessionDir, isFlat: true };
  const agentDir = process.env['PI_CODING_AGENT_DIR'] ?? '';
  return {
    root: join(agentDir === '' ? join(homedir(), '.pi', 'agent') : agentDir, 'sessions'),
    isFlat: false,
  };
}

/** Returns the file's name when `path` is that session's, or undefined. */
export function piSessionFileName(path: string, id: string): string | undefined {
  const [, name, foundId] = SESSION_FILE.exec(path.replaceAll('\\', '/')) ?? [];
  return foundId === id ? name : undefined;
}

/** Finds a session on the host by its id, whatever directory it was made in; the one changed last, where there are several. */
export async function findPiSessionOnHost(id: string, { root }: PiHostSessions): Promise<HostSessionLookup> {
  if (!isSessionId(id)) return { path: undefined, searchedRoot: root };
  const entries = await readdir(root, { recursive: true }).catch(() => []);
  const found = entries.filter((entry) => piSessionFileName(entry, id) !== undefined);
  return { path: await newestFile(found.map((entry) => join(root, entry))), searchedRoot: root };
}
