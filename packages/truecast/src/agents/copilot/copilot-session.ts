/**
 * Session storage of Copilot: copies sessions between the host's store and a sandbox's home.
 *
 * Only `<home>/session-state/<id>/events.jsonl` is needed for a session. The CLI recreates all
 * other files next to it.
 */
import { join } from 'node:path';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { HostSessionStorage } from '../../ports/agent-sessions.ts';
import type { FileSessionRules } from '../sessions/file-session-rules.ts';
import { chosenRoot, fileSessions } from '../sessions/file-sessions.ts';
import { folderOf, newestFile } from '../sessions/host-sessions.ts';
import { mapFields, type LineRewriter } from '../sessions/session-lines.ts';
import { COPILOT_SESSIONS } from './copilot-command.ts';

/** Session folders of Copilot, if they differ from the CLI's defaults. */
export interface CopilotSessionStorageOptions {
  /** @default `~/.copilot/session-state` on the host, or under its `COPILOT_HOME` */
  readonly hostSessionsDir?: string;
  /** @default `~/.copilot/session-state` in the sandbox, or under its `COPILOT_HOME` */
  readonly sandboxSessionsDir?: string;
}

/** Only start and resume lines contain the directory. Tool inputs stay unchanged. */
const rewriteCopilotLine: LineRewriter = (value, map) => {
  const data = value['data'];
  if (!isRecord(data) || !isRecord(data['context'])) return value;
  const context = mapFields(data['context'], ['cwd', 'gitRoot'], map);
  return context === data['context'] ? value : { ...value, data: { ...data, context } };
};

/** Creates the storage of one provider. `env` is the provider's environment. */
export function createCopilotSessionStorage(
  options: CopilotSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): HostSessionStorage {
  const rules: FileSessionRules = {
    root: () => options.hostSessionsDir ?? copilotHostSessionsDir(),
    sandboxRoot: chosenRoot(options.sandboxSessionsDir) ?? COPILOT_SESSIONS,
    envNames: ['COPILOT_HOME'],
    list: (id) => `ls -d -- "$root"/${eventsOf(id)} 2>/dev/null`,
    fileOf: (path, id) => (path.endsWith(`/${eventsOf(id)}`) ? eventsOf(id) : undefined),
    find: async (id, root) => ({
      path: await newestFile([join(root, eventsOf(id))]),
      searchedRoot: root,
    }),
    hostPath: ({ file }, root) => Promise.resolve(join(root, file)),
    sandboxPath: ({ file }) => `"$root"/${file}`,
    rewriteLine: rewriteCopilotLine,
    cwdOf,
  };
  return fileSessions(rules, env);
}

function copilotHostSessionsDir(): string {
  return join(folderOf('COPILOT_HOME', '.copilot'), 'session-state');
}

function eventsOf(id: string): string {
  return `${id}/events.jsonl`;
}

function cwdOf(value: Readonly<Record<string, unknown>>): unknown {
  const data = value['data'];
  return isRecord(data) && isRecord(data['context']) ? data['context']['cwd'] : undefined;
}
