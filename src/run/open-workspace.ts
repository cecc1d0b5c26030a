/** Owns opening the place where a run's agent works: a locked worktree, with a sandbox around it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '../errors/sandbox-error.ts';
import { describeValue } from '../errors/describe-value.ts';
import { copyToWorktree } from './git/copy-to-worktree.ts';
import type { GitCallOptions } from './git/git.ts';
import { pruneWorktrees, removeWorktree } from './git/remove-worktree.ts';
import { protectWorktree } from './git/verify.ts';
import { createWorktree, type Worktree } from './git/worktree.ts';
import type { PreparedRun } from './prepare-run.ts';
import type { RunContext } from './run-context.ts';
import type { Workspace } from './workspace.ts';
import type { SandboxHandle } from './sandboxes/sandbox-provider.ts';

/**
 * Creates the worktree, copies files into it, starts the sandbox, and brings the session to resume into it.
 *
 * @throws RepositoryError, SandboxError; what was created before is removed again, unless it holds work
 */
export async function openWorkspace(context: RunContext, prepared: PreparedRun): Promise<Workspace> {
  const { options, stop } = context;
  // What a run left behind that was killed: git must forget it before its name can be used again.
  if (options.branchStrategy.type !== 'head') await pruneWorktrees(prepared.repository, gitCall(context));
  const worktree = await createWorktree({
    repository: prepared.repository,
    branchStrategy: options.branchStrategy,
    name: options.name,
    command: `${options.agent.name} in ${options.sandbox.name}`,
    now: new Date(),
    timeoutMs: options.timeouts.gitSetupMs,
    signal: stop.signal,
    onWarning: context.warn,
  });
  try {
    await copyFiles(context, worktree);
    const isGuest = options.sandbox.tag !== 'none';
    const snapshot = isGuest ? await protectWorktree(worktree, gitCall(context)) : undefined;
    const handle = await startSandbox(context, prepared, worktree);
    return await enter(context, { worktree, snapshot, handle });
  } catch (error) {
    await removeWorktree(worktree, { timeoutMs: options.timeouts.gitSetupMs });
    await worktree.lock.release();
    throw error;
  }
}

function gitCall({ options, stop }: RunContext): GitCallOptions {
  return { timeoutMs: options.timeouts.gitSetupMs, signal: stop.signal };
}

async function copyFiles({ options, stop, warn }: RunContext, worktree: Worktree): Promise<void> {
  if (options.copyToWorktree === undefined) return;
  const { missing, blocked } = await copyToWorktree(worktree, options.copyToWorktree, {
    timeoutMs: options.timeouts.copyToWorktreeMs,
    signal: stop.signal,
  });
  for (const path of missing)
    warn(`\`copyToWorktree\` names \`${path}\`, which is not in the repository; it was left out.`);
  for (const path of blocked)
    warn(`\`${path}\` was not copied: a symbolic link in the worktree stands where it was to go.`);
}

async function startSandbox(
  { options, stop }: RunContext,
  prepared: PreparedRun,
  worktree: Worktree,
): Promise<SandboxHandle> {
  const { repository, environment, program, modelAccess } = prepared;
  const programPaths = program === undefined ? [] : [program.path, program.realPath];
  try {
    return await options.sandbox.create({
      worktreePath: worktree.path,
      hostRepoPath: repository.mainTopLevel,
      mounts: [],
      env:
        options.sandbox.tag === 'none'
          ? environment.inside
          : { ...options.agent.sandboxEnv, ...environment.inside },
      git: { commonDir: worktree.commonDir, gitDir: worktree.gitDir },
      readonlyPaths: [...programPaths, ...(options.agent.readonlyPaths ?? [])],
      signal: stop.signal,
      ...(modelAccess !== undefined && { modelAccess }),
    });
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    if (SandboxError.isInstance(error)) throw error;
    throw new SandboxError(
      `The sandbox \`${options.sandbox.name}\` could not be started: ${describeValue(error instanceof Error ? error.message : error)}. Run \`truecast doctor\`.`,
      { code: 'start', cause: error },
    );
  }
}

type Opened = Pick<Workspace, 'worktree' | 'snapshot' | 'handle'>;

async function enter(context: RunContext, opened: Opened): Promise<Workspace> {
  const { options } = context;
  const { worktree, handle } = opened;
  const location = { hostCwd: worktree.path, sandboxCwd: handle.worktreePath, handle };
  const { sessionStorage } = options.agent;
  if (options.resumeSession !== undefined && options.sandbox.tag !== 'none') {
    await sessionStorage?.resumeIntoSandbox({ ...location, sessionId: options.resumeSession });
  }
  let temporaryFolder: string | undefined;
  return {
    ...opened,
    worktreePath: worktree.path,
    async writeTemporaryFile(name, content) {
      temporaryFolder ??= await mkdtemp(join(tmpdir(), 'truecast-run-'));
      const hostPath = join(temporaryFolder, name);
      await writeFile(hostPath, content);
      if (handle.copyFileIn === undefined || options.sandbox.tag === 'none') return hostPath;
      const sandboxPath = `${handle.homePath ?? '/tmp'}/.truecast/${randomUUID()}-${name}`;
      await handle.copyFileIn(hostPath, sandboxPath);
      return sandboxPath;
    },
    async captureSession(sessionId) {
      if (sessionStorage === undefined) return undefined;
      try {
        if (options.sandbox.tag === 'none') return await sessionStorage.findByIdOnHost(sessionId);
        if (!options.agent.captureSessions) return undefined;
        return await sessionStorage.captureToHost({ ...location, sessionId });
      } catch (error) {
        context.warn(
          `The session \`${sessionId}\` could not be copied to the host: ${error instanceof Error ? error.message : String(error)}`,
        );
        return undefined;
      }
    },
    async close() {
      await handle.close();
      if (temporaryFolder !== undefined) await rm(temporaryFolder, { recursive: true, force: true });
    },
  };
}
