/**
 * Session storage of CLIs that store each session in a file: copies sessions between the host's
 * store and a sandbox's home. Data and path rules describe each CLI.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { HostSessionLookup, HostSessionStorage, SessionLocation } from '../../ports/agent-sessions.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { FileSessionRules } from './file-session-rules.ts';
import { hostLookups, newestFile, readHostSession } from './host-sessions.ts';
import {
  copyLinesOut,
  listInSandbox,
  sandboxFiles,
  writeInSandbox,
  type SandboxFiles,
} from './sandbox-files.ts';
import { assertSessionId, isSessionId } from './session-id.ts';
import { findSessionCwd, rewriteSession, rewriteSessionLine } from './session-lines.ts';

/** Maximum depth of nested forks. Real work does not reach it. */
const MAX_SESSIONS = 100;

/** Creates the storage of one provider. `env` is the provider's environment. */
export function fileSessions(
  rules: FileSessionRules,
  env: Readonly<Record<string, string>>,
): HostSessionStorage {
  const filesOf = (handle: SandboxHandle): SandboxFiles =>
    sandboxFiles(handle, rules.sandboxRoot, env, rules.envNames);
  const find = async (id: string): Promise<HostSessionLookup> => {
    const root = rules.root();
    if (!isSessionId(id)) return { path: undefined, searchedRoot: root };
    const found = await rules.find(id, root);
    if (found.path !== undefined && rules.onRead !== undefined) {
      rules.onRead(id, await readHostSession(found.path));
    }
    return found;
  };
  const { remember, ...lookups } = hostLookups({
    find,
    knownPath: (id, cwd) => (isSessionId(id) ? rules.knownPath?.(id, cwd, rules.root()) : undefined),
  });
  return {
    ...(rules.isBoundToDirectory === true && { isBoundToDirectory: true }),
    captureToHost: async (location) =>
      remember(location.sessionId, await capture(location, rules, filesOf(location.handle))),
    resumeIntoSandbox: (location) => resume(location, rules, filesOf(location.handle)),
    ...lookups,
  };
}

/** Returns the shell expression of a folder that the caller chose. Undefined without one. */
export function chosenRoot(folder: string | undefined): string | undefined {
  return folder === undefined ? undefined : quoteArgument(folder);
}

async function capture(
  location: SessionLocation,
  rules: FileSessionRules,
  sandbox: SandboxFiles,
): Promise<string> {
  const id = assertSessionId(location.sessionId);
  const target = await captureOne(id, location, rules, sandbox);
  if (target === undefined) {
    throw notFound(
      `The agent's session \`${id}\` was not found in the sandbox, so it cannot be resumed.`,
      id,
    );
  }
  const seen = new Set([id]);
  let parent = rules.parentOf?.(await readHostSession(target));
  while (parent !== undefined && !seen.has(parent) && seen.size < MAX_SESSIONS) {
    seen.add(parent);
    const { path } = await rules.find(parent, rules.root());
    const found = path ?? (await captureOne(parent, location, rules, sandbox));
    parent = found === undefined ? undefined : rules.parentOf?.(await readHostSession(found));
  }
  return target;
}

async function captureOne(
  id: string,
  { sandboxCwd, hostCwd, onWarning: warn = () => undefined }: SessionLocation,
  rules: FileSessionRules,
  sandbox: SandboxFiles,
): Promise<string | undefined> {
  const listed = await listInSandbox(sandbox, rules.list(id));
  const source = listed.find((path) => rules.fileOf(path, id) !== undefined);
  const file = source === undefined ? undefined : rules.fileOf(source, id);
  if (source === undefined || file === undefined) return undefined;
  const target = await rules.hostPath({ id, cwd: hostCwd, file }, rules.root());
  const { rewriteLine } = rules;
  const rewrite = (line: string): string =>
    rewriteLine === undefined ? line : rewriteSessionLine(line, sandboxCwd, hostCwd, rewriteLine);
  await copyLinesOut(sandbox, source, target, rewrite);
  await rules.captureBeside?.({ sandbox, source, target, rewrite, warn });
  return target;
}

async function resume(
  location: SessionLocation,
  rules: FileSessionRules,
  sandbox: SandboxFiles,
): Promise<void> {
  const seen = new Set<string>();
  let id: string | undefined = assertSessionId(location.sessionId);
  while (id !== undefined && !seen.has(id) && seen.size < MAX_SESSIONS) {
    seen.add(id);
    const { path, file } = await locate(id, location, rules);
    const jsonl = await readHostSession(path);
    rules.onRead?.(id, jsonl);
    const moved = mover(jsonl, location, rules);
    const write = (word: string, content: string): Promise<void> =>
      writeInSandbox(sandbox, word, moved(content));
    const session = { id, cwd: location.sandboxCwd, file };
    await write(rules.sandboxPath(session), jsonl);
    await rules.resumeBeside?.(session, path, write);
    id = rules.parentOf?.(jsonl);
  }
}

/** Returns the mapping of a session's files to the sandbox's directory. */
function mover(
  jsonl: string,
  { hostCwd, sandboxCwd }: SessionLocation,
  { rewriteLine, cwdOf }: FileSessionRules,
): (content: string) => string {
  if (rewriteLine === undefined) return (content) => content;
  const fromCwd = (cwdOf === undefined ? undefined : findSessionCwd(jsonl, cwdOf)) ?? hostCwd;
  return (content) => rewriteSession(content, fromCwd, sandboxCwd, rewriteLine);
}

async function locate(
  id: string,
  { hostCwd }: SessionLocation,
  rules: FileSessionRules,
): Promise<{ readonly path: string; readonly file: string }> {
  const root = rules.root();
  const { path: found, searchedRoot } = await rules.find(id, root);
  const file = found === undefined ? undefined : rules.fileOf(found.replaceAll('\\', '/'), id);
  if (found === undefined || file === undefined) {
    throw notFound(
      `The session \`${id}\` was not found under \`${searchedRoot}\`, so it cannot be resumed.`,
      id,
    );
  }
  const preferred = await rules.preferredPath?.({ id, cwd: hostCwd, file }, root);
  const path = preferred === undefined ? undefined : await newestFile([preferred]);
  return { path: path ?? found, file };
}

function notFound(message: string, sessionId: string): SandboxError {
  return new SandboxError(message, { code: 'copy', sessionId });
}
