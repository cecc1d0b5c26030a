/**
 * Session storage of Copilot: copies sessions between the host's store and a sandbox's home.
 *
 * Only `<home>/session-state/<id>/events.jsonl` is needed for a session. The CLI recreates all
 * other files next to it.
 */
import { readHostSession } from '../sessions/read-host-session.ts';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { AgentSessionStorage, SessionLocation } from '../../ports/agent-provider.ts';
import { COPILOT_SESSIONS } from './copilot-command.ts';
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { newestFile } from '../sessions/host-sessions.ts';
import {
  copyLinesOut,
  listInSandbox,
  sandboxFiles,
  writeInSandbox,
  type SandboxFiles,
} from '../sessions/sandbox-files.ts';
import { assertSessionId, isSessionId } from '../sessions/session-id.ts';
import {
  findSessionCwd,
  mapFields,
  rewriteSession,
  rewriteSessionLine,
  type LineRewriter,
} from '../sessions/session-lines.ts';

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
): AgentSessionStorage {
  const hostRoot = (): string => options.hostSessionsDir ?? copilotHostSessionsDir();
  return {
    captureToHost: (location) => capture(location, hostRoot(), sandboxOf(location.handle, options, env)),
    resumeIntoSandbox: (location) => resume(location, hostRoot(), sandboxOf(location.handle, options, env)),
    findByIdOnHost: async (sessionId) =>
      isSessionId(sessionId) ? await newestFile([eventsOf(hostRoot(), sessionId)]) : undefined,
  };
}

function copilotHostSessionsDir(): string {
  const home = process.env['COPILOT_HOME'] ?? '';
  return join(home === '' ? join(homedir(), '.copilot') : home, 'session-state');
}

function eventsOf(root: string, id: string): string {
  return join(root, id, 'events.jsonl');
}

function sandboxOf(
  handle: SandboxHandle,
  { sandboxSessionsDir }: CopilotSessionStorageOptions,
  env: Readonly<Record<string, string>>,
): SandboxFiles {
  const root = sandboxSessionsDir === undefined ? COPILOT_SESSIONS : quoteArgument(sandboxSessionsDir);
  return sandboxFiles(handle, root, env, ['COPILOT_HOME']);
}

async function capture(location: SessionLocation, hostRoot: string, sandbox: SandboxFiles): Promise<string> {
  const id = assertSessionId(location.sessionId);
  const [source] = await listInSandbox(sandbox, `ls -d -- "$root"/${id}/events.jsonl 2>/dev/null`);
  if (source === undefined) {
    throw new SandboxError(
      `The agent's session \`${id}\` was not found in the sandbox, so it cannot be resumed.`,
      { code: 'copy', sessionId: id },
    );
  }
  const target = eventsOf(hostRoot, id);
  await copyLinesOut(sandbox, source, target, (line) =>
    rewriteSessionLine(line, location.sandboxCwd, location.hostCwd, rewriteCopilotLine),
  );
  return target;
}

async function resume(location: SessionLocation, hostRoot: string, sandbox: SandboxFiles): Promise<void> {
  const id = assertSessionId(location.sessionId);
  const source = await newestFile([eventsOf(hostRoot, id)]);
  if (source === undefined) {
    throw new SandboxError(
      `The session \`${id}\` was not found under \`${hostRoot}\`, so it cannot be resumed.`,
      { code: 'copy', sessionId: id },
    );
  }
  const jsonl = await readHostSession(source);
  const fromCwd = findSessionCwd(jsonl, cwdOf) ?? location.hostCwd;
  await writeInSandbox(
    sandbox,
    `"$root"/${id}/events.jsonl`,
    rewriteSession(jsonl, fromCwd, location.sandboxCwd, rewriteCopilotLine),
  );
}

function cwdOf(value: Readonly<Record<string, unknown>>): unknown {
  const data = value['data'];
  return isRecord(data) && isRecord(data['context']) ? data['context']['cwd'] : undefined;
}
