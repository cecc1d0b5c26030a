/** Rescue of the session of an agent that was killed in its sandbox, from the HOME that is left of it. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { withoutCutLine } from '../../agents/sessions/session-lines.ts';
import type { Repository } from '../../git/repository/repository.ts';
import type { AgentSessionStorage } from '../../ports/agent-sessions.ts';
import type { OwnGitCreateOptions } from '../../ports/own-git.ts';
import { isOfDeadProcess, removeTree } from '../../process/temporary-folder.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import { boundedCopy } from '../places/bounded-copy.ts';
import type { ExecutionRecord } from './execution-record.ts';

/** An execution whose agent had reported its session. */
type Interrupted = Pick<ExecutionRecord, 'hostHomePath' | 'worktreePath'> & { readonly sessionId: string };

/**
 * Copies the session to the host's store, and removes that HOME. Returns false if it is not there.
 *
 * An agent wrote the HOME. So the session is read inside a new sandbox, which has no network.
 *
 * @throws SandboxError if the sandbox could not be started; the signal's reason
 */
export async function salvageSession(
  { sessionId, hostHomePath, worktreePath }: Interrupted,
  { agent, sandbox, limits, timeouts }: NormalizedRunOptions,
  { repository, signal }: { readonly repository: Repository; readonly signal: AbortSignal },
): Promise<boolean> {
  const { sessionStorage, captureSessions } = agent;
  if (sessionStorage === undefined || !captureSessions || hostHomePath === undefined) return false;
  if (worktreePath === undefined || sandbox.tag !== 'bind-mount' || sandbox.hasOwnGit !== true) return false;
  const folder = dirname(hostHomePath);
  // An agent resumes a session only where it worked.
  if (!existsSync(worktreePath) || !(await isOfDeadProcess(folder, repository.commonDir))) return false;
  const creation: OwnGitCreateOptions = {
    worktreePath,
    hostRepoPath: repository.mainTopLevel,
    mounts: [],
    env: {},
    recoveredHome: hostHomePath,
    signal,
  };
  const handle = await sandbox.create(creation);
  try {
    const bounded = boundedCopy(handle, {
      maxBytes: limits.sessionBytes,
      timeoutMs: timeouts.sessionCopyMs,
      signal,
    });
    const location = { hostCwd: worktreePath, sandboxCwd: handle.worktreePath, sessionId };
    await sessionStorage.captureToHost({ ...location, handle: bounded });
    await dropCutLine(sessionStorage, worktreePath, sessionId);
  } catch (error) {
    signal.throwIfAborted();
    // The agent was killed before it wrote the session, or uses another folder.
    if (SandboxError.isInstance(error) && error.code === 'copy') return false;
    throw error;
  } finally {
    await handle.close();
  }
  // `truecast clean` finds one that cannot be removed.
  await removeTree(folder).catch(() => undefined);
  return true;
}

/** The kill can have cut the line that the agent was writing. */
async function dropCutLine(storage: AgentSessionStorage, cwd: string, sessionId: string): Promise<void> {
  const { path } = await storage.findByIdOnHost(sessionId);
  const text = await storage.readHostSession(cwd, sessionId);
  if (path?.endsWith('.jsonl') !== true || text === undefined) return;
  const whole = withoutCutLine(text);
  if (whole !== text) await writeFile(path, whole);
}
