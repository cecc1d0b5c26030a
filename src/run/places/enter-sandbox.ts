/** Owns one run's entry into a started sandbox: the session that it resumes, the files that it needs, the sessions that it leaves. */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunContext } from '../run-context.ts';
import { closeSandbox, syncOut, type OpenSandbox } from './open-sandbox.ts';
import type { Workspace } from './workspace.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';

/** How a run enters. */
export interface EnterOptions {
  readonly agentEnv: Readonly<Record<string, string>>;
  /** False for a sandbox that outlives the run. */
  readonly closesSandbox: boolean;
}

/** Makes the workspace of one run, with the session to resume in it. */
export async function enterSandbox(
  context: RunContext,
  opened: OpenSandbox,
  { agentEnv, closesSandbox }: EnterOptions,
): Promise<Workspace> {
  const { options } = context;
  const { worktree, handle } = opened;
  const isOnHost = options.sandbox.tag === 'none';
  const location = { hostCwd: worktree.path, sandboxCwd: handle.worktreePath, handle };
  const { sessionStorage } = options.agent;
  const isInPlace = isOnHost && sessionStorage?.isBoundToDirectory !== true;
  if (options.resumeSession !== undefined && !isInPlace) {
    await sessionStorage?.resumeIntoSandbox({ ...location, sessionId: options.resumeSession });
  }
  let temporaryFolder: string | undefined;
  return {
    ...opened,
    agentEnv,
    worktreePath: worktree.path,
    async writeTemporaryFile(name, content) {
      temporaryFolder ??= await makeTemporaryFolder('run');
      const hostPath = join(temporaryFolder, name);
      await writeFile(hostPath, content);
      if (handle.copyFileIn === undefined || isOnHost) return hostPath;
      const sandboxPath = `${handle.homePath ?? '/tmp'}/.truecast/${randomUUID()}-${name}`;
      await handle.copyFileIn(hostPath, sandboxPath);
      return sandboxPath;
    },
    async captureSession(sessionId) {
      if (sessionStorage === undefined || sessionStorage.isKeptByAgent === true) return undefined;
      try {
        if (isInPlace) return await sessionStorage.findByIdOnHost(sessionId);
        if (!options.agent.captureSessions) return undefined;
        return await sessionStorage.captureToHost({ ...location, sessionId });
      } catch (error) {
        context.warn(
          `The session \`${sessionId}\` could not be copied to the host: ${error instanceof Error ? error.message : String(error)}`,
        );
        return undefined;
      }
    },
    syncOut: () => syncOut(handle, context.warn),
    async close() {
      try {
        await syncOut(handle, context.warn);
      } finally {
        if (closesSandbox) await closeSandbox(opened);
        if (temporaryFolder !== undefined) await rm(temporaryFolder, { recursive: true, force: true });
      }
    },
  };
}
