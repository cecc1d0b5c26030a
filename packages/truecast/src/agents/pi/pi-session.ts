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
import {
  encodePiDirectory,
  findPiSessionOnHost,
  piHostSessions,
  piSessionFileName,
  type PiHostSessions,
} from './pi-session-path.ts';

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
    join(await folderOf(cwd, host()), file);
  const rules: FileSessionRules = {
    // In another directory, the CLI prompts interactively for a fork.
    isBoundToDirectory: true,
    root: () => host().root,
    sandboxRoot: sandboxRootOf(options),
    envNames: ENV_NAMES,
    list: (id) => `ls -td -- "$root"/*_${id}.jsonl "$root"/*/*_${id}.jsonl 2>/dev/null`,
    fileOf: piSessionFileName,
    find: (id) => findPiSessionOnHost(id, host()),
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
async function folderOf(cwd: string, { root, isFlat }: PiHostSessions): Promise<string> {
  return isFlat ? root : join(root, encodePiDirectory(await realpath(cwd).catch(() => cwd)));
}
