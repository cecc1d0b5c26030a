/** Start mark: an empty file that exists as soon as an agent has started a server. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServerCommand } from '../../ports/agent-provider.ts';

export interface StartMark {
  /** True after an agent has started a wrapped server, before the server itself does anything. */
  readonly isMade: boolean;
  /** Returns the command that makes the mark, then runs the server. */
  wrap(server: McpServerCommand): McpServerCommand;
  remove(): void;
}

/**
 * `$0` is the mark, the arguments are the server's command line. In a subshell, because a failed
 * redirection of `:` ends the shell, and an agent can start a server again after the mark is removed.
 */
const MARK_AND_RUN = '(: > "$0") 2>/dev/null; exec "$@"';

/** Creates a mark in a temporary folder of the agent's machine. It is removed at the process's exit. */
export function createStartMark(): StartMark {
  const folder = makeFolder();
  if (folder === undefined) return { isMade: false, wrap: (server) => server, remove: () => undefined };
  const path = join(folder, 'started');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    get isMade() {
      return existsSync(path);
    },
    wrap: (server) => ({
      ...server,
      command: '/bin/sh',
      args: ['-c', MARK_AND_RUN, path, server.command, ...server.args],
    }),
    remove() {
      process.removeListener('exit', remove);
      remove();
    },
  };
}

/** A sandbox can have no writable temporary folder. The server works without a mark. */
function makeFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), 'truecast-'));
  } catch {
    return undefined;
  }
}
