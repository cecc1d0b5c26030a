/**
 * Session storage of OpenCode: copies sessions between a host file and a sandbox.
 *
 * The CLI stores sessions in a database. Its `export` and `import` commands transfer one session
 * and bind it to the directory of the import.
 */
import { folderOf, hostLookups, newestFile, readHostSession } from '../sessions/host-sessions.ts';
import { join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { HostSessionStorage, SessionLocation } from '../../ports/agent-sessions.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { copyOutputOut, runInSandbox, sandboxFiles, type SandboxFiles } from '../sessions/sandbox-files.ts';
import { assertSessionId, isSessionId } from '../sessions/session-id.ts';

/** Folder of captured OpenCode sessions. */
export interface OpencodeSessionStorageOptions {
  /**
   * Folder of exported sessions, one `<id>.json` each. @default `opencode/truecast-sessions` under
   * the host's `XDG_DATA_HOME`, else `~/.local/share`
   */
  readonly hostSessionsDir?: string;
}

const ENV_NAMES = [
  'PATH',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
  'OPENCODE_DB',
];

/** Creates a temporary file that is removed when the script ends. */
const IN_FILE = `file=$(mktemp) && trap 'rm -f -- "$file"' EXIT`;

/** Creates the storage of one provider. `env` is the provider's environment. */
export function createOpencodeSessionStorage(
  options: OpencodeSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): HostSessionStorage {
  const hostRoot = (): string => options.hostSessionsDir ?? defaultHostRoot();
  const { remember, ...lookups } = hostLookups({
    find: async (id) => ({
      path: isSessionId(id) ? await newestFile([pathOf(hostRoot(), id)]) : undefined,
      searchedRoot: hostRoot(),
    }),
    knownPath: (id) => (isSessionId(id) ? pathOf(hostRoot(), id) : undefined),
  });
  return {
    // In another directory, the CLI waits forever for a session's events.
    isBoundToDirectory: true,
    captureToHost: async (location) =>
      remember(location.sessionId, await capture(location, hostRoot(), sandboxOf(location.handle, env))),
    resumeIntoSandbox: (location) => resume(location, hostRoot(), sandboxOf(location.handle, env)),
    ...lookups,
  };
}

function defaultHostRoot(): string {
  return join(folderOf('XDG_DATA_HOME', '.local', 'share'), 'opencode', 'truecast-sessions');
}

function pathOf(hostRoot: string, id: string): string {
  return join(hostRoot, `${id}.json`);
}

function sandboxOf(handle: SandboxHandle, env: Readonly<Record<string, string>>): SandboxFiles {
  const files = sandboxFiles(handle, '""', env, ENV_NAMES);
  const given = ENV_NAMES.filter((name) => name in env).join(' ');
  return { ...files, prelude: `${files.prelude}export OPENCODE_DISABLE_AUTOUPDATE=1 HOME ${given}; ` };
}

async function capture(location: SessionLocation, hostRoot: string, sandbox: SandboxFiles): Promise<string> {
  const id = assertSessionId(location.sessionId);
  const target = pathOf(hostRoot, id);
  // The CLI writes at most 128 KiB into a pipe, and then exits with 0.
  const script = `${IN_FILE} && opencode export ${id} >"$file" && cat -- "$file"`;
  await copyOutputOut(sandbox, script, target);
  return target;
}

async function resume(location: SessionLocation, hostRoot: string, sandbox: SandboxFiles): Promise<void> {
  const id = assertSessionId(location.sessionId);
  const source = pathOf(hostRoot, id);
  const exported = await readHostSession(source).catch((cause: unknown) => {
    throw new SandboxError(
      `The session \`${id}\` was not found under \`${hostRoot}\`, so it cannot be resumed.`,
      { code: 'copy', sessionId: id, cause },
    );
  });
  const script = `${IN_FILE} && cat >"$file" && opencode import "$file" >/dev/null`;
  await runInSandbox(sandbox, script, { stdin: exported });
}
