/**
 * Session storage of Pi: copies sessions between the host's store and a sandbox's home.
 *
 * sandbox `<sessions>/--<cwd>--/<time>_<id>.jsonl` ⇄ host, with the directory in the first line
 * rewritten
 */
import { readHostSession } from '../sessions/read-host-session.ts';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { AgentSessionStorage, SessionLocation } from '../../ports/agent-provider.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { newestFile } from '../sessions/host-sessions.ts';
import {
  encodePiDirectory,
  findPiSessionOnHost,
  piHostSessions,
  piSessionFileName,
  type PiHostSessions,
} from './pi-session-path.ts';
import {
  copyLinesOut,
  listInSandbox,
  sandboxFiles,
  writeInSandbox,
  type SandboxFiles,
} from '../sessions/sandbox-files.ts';
import { assertSessionId } from '../sessions/session-id.ts';
import {
  findSessionCwd,
  mapFields,
  rewriteSession,
  rewriteSessionLine,
  type LineRewriter,
} from '../sessions/session-lines.ts';

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
): AgentSessionStorage {
  const { hostSessionsDir } = options;
  const host = (): PiHostSessions =>
    hostSessionsDir === undefined ? piHostSessions() : { root: hostSessionsDir, isFlat: false };
  return {
    // In another directory, the CLI prompts interactively for a fork.
    isBoundToDirectory: true,
    captureToHost: (location) => capture(location, host(), sandboxOf(location.handle, options, env)),
    resumeIntoSandbox: (location) => resume(location, host(), sandboxOf(location.handle, options, env)),
    findByIdOnHost: async (sessionId) => (await findPiSessionOnHost(sessionId, host())).path,
  };
}

/** `$flat` is set if the CLI stores all sessions in one folder. */
function sandboxOf(
  handle: SandboxHandle,
  { sandboxSessionsDir }: PiSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): SandboxFiles {
  const root =
    sandboxSessionsDir === undefined
      ? '"${PI_CODING_AGENT_SESSION_DIR:-${PI_CODING_AGENT_DIR:-$HOME/.pi/agent}/sessions}"; flat="${PI_CODING_AGENT_SESSION_DIR:-}"'
      : `${quoteArgument(sandboxSessionsDir)}; flat=`;
  return sandboxFiles(handle, root, env, ENV_NAMES);
}

async function capture(
  location: SessionLocation,
  host: PiHostSessions,
  sandbox: SandboxFiles,
): Promise<string> {
  const id = assertSessionId(location.sessionId);
  const script = `ls -td -- "$root"/*_${id}.jsonl "$root"/*/*_${id}.jsonl 2>/dev/null`;
  const listed = await listInSandbox(sandbox, script);
  const source = listed.find((path) => piSessionFileName(path, id) !== undefined);
  const name = source === undefined ? undefined : piSessionFileName(source, id);
  if (source === undefined || name === undefined) {
    throw new SandboxError(
      `The agent's session \`${id}\` was not found in the sandbox, so it cannot be resumed.`,
      { code: 'copy', sessionId: id },
    );
  }
  const target = join(await folderOf(location.hostCwd, host), name);
  await copyLinesOut(sandbox, source, target, (line) =>
    rewriteSessionLine(line, location.sandboxCwd, location.hostCwd, rewritePiLine),
  );
  return target;
}

async function resume(location: SessionLocation, host: PiHostSessions, sandbox: SandboxFiles): Promise<void> {
  const id = assertSessionId(location.sessionId);
  const { path: found, searchedRoot } = await findPiSessionOnHost(id, host);
  const own = found === undefined ? undefined : join(await folderOf(location.hostCwd, host), basename(found));
  const source = (own === undefined ? undefined : await newestFile([own])) ?? found;
  if (source === undefined) {
    throw new SandboxError(
      `The session \`${id}\` was not found under \`${searchedRoot}\`, so it cannot be resumed.`,
      { code: 'copy', sessionId: id },
    );
  }
  const jsonl = await readHostSession(source);
  const fromCwd = findSessionCwd(jsonl, (value) => value['cwd']) ?? location.hostCwd;
  const folder = quoteArgument(encodePiDirectory(location.sandboxCwd));
  await writeInSandbox(
    sandbox,
    `"$root/$(if [ -n "$flat" ]; then printf .; else printf %s ${folder}; fi)/${basename(source)}"`,
    rewriteSession(jsonl, fromCwd, location.sandboxCwd, rewritePiLine),
  );
}

/** The CLI names a project by its resolved path. */
async function folderOf(cwd: string, { root, isFlat }: PiHostSessions): Promise<string> {
  return isFlat ? root : join(root, encodePiDirectory(await realpath(cwd).catch(() => cwd)));
}
