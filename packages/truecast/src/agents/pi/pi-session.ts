/**
 * Session storage of Pi: copies sessions between the host's store and a sandbox's home.
 *
 * sandbox `<sessions>/--<cwd>--/<time>_<id>.jsonl` ⇄ host, with the directory in the first line
 * rewritten
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostSessionStorage } from '../../ports/agent-sessions.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { FileSessionRules } from '../sessions/file-session-rules.ts';
import { chosenRoot, fileSessions } from '../sessions/file-sessions.ts';
import { mapFields, type LineRewriter } from '../sessions/session-lines.ts';
import { findBelow, folderOf } from '../sessions/host-sessions.ts';

/** Session folders of Pi, if they differ from the CLI's defaults. */
export interface PiSessionStorageOptions {
  /**
   * @default `~/.pi/agent/sessions` on the host, or as set by its `PI_CODING_AGENT_DIR` or
   *   `PI_CODING_AGENT_SESSION_DIR`
   */
  readonly hostSessionsDir?: string;
  /**
   * @default `~/.pi/agent/sessions` in the sandbox, or as set by its `PI_CODING_AGENT_DIR` or
   *   `PI_CODING_AGENT_SESSION_DIR`
   */
  readonly sandboxSessionsDir?: string;
}

const ENV_NAMES = ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR'];

/** Only the first line contains the directory. Tool inputs stay unchanged. */
const rewritePiLine: LineRewriter = (value, map) =>
  value['type'] === 'session' ? mapFields(value, ['cwd'], map) : value;

/** Creates the storage of one provider. `env` is the provider's environment. */
export function createPiSessionStorage(
  options: PiSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): HostSessionStorage {
  const { hostSessionsDir } = options;
  const host = (): PiHostSessions =>
    hostSessionsDir === undefined ? piHostSessions() : { root: hostSessionsDir, isFlat: false };
  const hostPath: FileSessionRules['hostPath'] = async ({ cwd, file }) =>
    join(await projectFolder(cwd, host()), file);
  const rules: FileSessionRules = {
    // In another directory, the CLI prompts interactively for a fork.
    isBoundToDirectory: true,
    root: () => host().root,
    sandboxRoot: sandboxRootOf(options),
    envNames: ENV_NAMES,
    list: (id) => `ls -td -- "$root"/*_${id}.jsonl "$root"/*/*_${id}.jsonl 2>/dev/null`,
    fileOf: piSessionFileName,
    find: (id) => findBelow(host().root, id, piSessionFileName),
    hostPath,
    preferredPath: hostPath,
    sandboxPath: ({ cwd, file }) =>
      `"$root/$(if [ -n "$flat" ]; then printf .; else printf %s ${quoteArgument(encodePiDirectory(cwd))}; fi)/${file}"`,
    rewriteLine: rewritePiLine,
    cwdOf: (line) => line['cwd'],
  };
  return fileSessions(rules, env);
}

/** `$flat` is set if the CLI stores all sessions in one folder. */
function sandboxRootOf({ sandboxSessionsDir }: PiSessionStorageOptions): string {
  const chosen = chosenRoot(sandboxSessionsDir);
  if (chosen !== undefined) return `${chosen}; flat=`;
  return '"${PI_CODING_AGENT_SESSION_DIR:-${PI_CODING_AGENT_DIR:-$HOME/.pi/agent}/sessions}"; flat="${PI_CODING_AGENT_SESSION_DIR:-}"';
}

/** The CLI names a project by its resolved path. */
async function projectFolder(cwd: string, { root, isFlat }: PiHostSessions): Promise<string> {
  return isFlat ? root : join(root, encodePiDirectory(await realpath(cwd).catch(() => cwd)));
}

const SESSION_FILE = /(?:^|\/)(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z_([\w-]+)\.jsonl)$/u;

interface PiHostSessions {
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
function piHostSessions(): PiHostSessions {
  const sessionDir = process.env['PI_CODING_AGENT_SESSION_DIR'] ?? '';
  if (sessionDir !== '') return { root: sessionDir, isFlat: true };
  return { root: join(folderOf('PI_CODING_AGENT_DIR', '.pi', 'agent'), 'sessions'), isFlat: false };
}

/** Returns the file name if `path` belongs to that session, or undefined. */
function piSessionFileName(path: string, id: string): string | undefined {
  const [, name, foundId] = SESSION_FILE.exec(path.replaceAll('\\', '/')) ?? [];
  return foundId === id ? name : undefined;
}
