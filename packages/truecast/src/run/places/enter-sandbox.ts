/**
 * Entry of a run into a started sandbox: the session to resume, the files to write, the sessions to
 * save.
 */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAttachmentFolder, type AttachmentFolder } from '../attachments/attachment-folder.ts';
import type { AgentSessionStorage, SessionLocation } from '../../ports/agent-sessions.ts';
import type { HandedOverTip } from '../../ports/own-git.ts';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import type { RunContext } from '../context/run-context.ts';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { boundedCopy } from './bounded-copy.ts';
import { abortDeadline } from './deadlines.ts';
import { closeSandbox, syncOut, type OpenSandbox, type SyncOutListeners } from './open-sandbox.ts';
import type { RunWorkspace } from '../context/workspace.ts';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';

export interface EnterOptions {
  readonly agentEnv: Readonly<Record<string, string>>;
  /** False if the sandbox outlives the run. */
  readonly closesSandbox: boolean;
  /** Called with each new tip of the branch. */
  readonly onTip?: ((tip: HandedOverTip) => void) | undefined;
}

/** Creates the workspace of a run, including the session to resume. */
export async function enterSandbox(
  context: RunContext,
  opened: OpenSandbox,
  { agentEnv, closesSandbox, onTip }: EnterOptions,
): Promise<RunWorkspace> {
  const { options } = context;
  const { worktree, handle } = opened;
  const isOnHost = options.sandbox.tag === 'none';
  const location = (): SandboxLocation => locate(context, opened);
  const { sessionStorage } = options.agent;
  const isInPlace = isOnHost && sessionStorage?.isBoundToDirectory !== true;
  if (options.resumeSession !== undefined && !isInPlace) {
    await sessionStorage?.resumeIntoSandbox({ ...location(), sessionId: options.resumeSession });
  }
  const timeoutMs = options.timeouts.abortedHandOverMs;
  const untilDeadline = abortDeadline(context.stop.signal, timeoutMs, () =>
    notHandedOver(options.sandbox.name, timeoutMs),
  );
  // The work of a read-only run stays inside, and is thrown away with the sandbox.
  const sync = async (): Promise<void> => {
    if (!options.isThrownAway) await untilDeadline(syncOut(handle, listenersOf(context, onTip)));
  };
  const files = temporaryFiles(handle, isOnHost);
  const { attach, detach } = attachmentsOf(context, opened);
  return {
    ...opened,
    agentEnv,
    worktreePath: worktree.path,
    attach,
    writeTemporaryFile: files.write,
    async captureSession(sessionId, warn = context.warn) {
      if (sessionStorage === undefined || sessionStorage.isKeptByAgent === true) return undefined;
      try {
        if (isInPlace) return (await sessionStorage.findByIdOnHost(sessionId)).path;
        if (!options.agent.captureSessions) return undefined;
        return await captureToHost(sessionStorage, { ...location(), sessionId, onWarning: warn });
      } catch (error) {
        warn(
          `The session \`${sessionId}\` could not be copied to the host: ${error instanceof Error ? error.message : String(error)}`,
        );
        return undefined;
      }
    },
    syncOut: sync,
    async close(onCopied) {
      try {
        await sync();
        onCopied?.();
      } finally {
        const isClosed = closesSandbox || handle.isHung();
        if (isClosed) await closeSandbox(opened);
        await detach(isClosed);
        await files.remove();
      }
    },
  };
}

function temporaryFiles(
  handle: SandboxHandle,
  isOnHost: boolean,
): { readonly write: RunWorkspace['writeTemporaryFile']; remove(): Promise<void> } {
  let folder: string | undefined;
  return {
    async write(name, content) {
      folder ??= await makeTemporaryFolder('run');
      const hostPath = join(folder, name);
      await writeFile(hostPath, content);
      if (handle.copyFileIn === undefined || isOnHost) return hostPath;
      const sandboxPath = `${handle.homePath ?? '/tmp'}/.truecast/${randomUUID()}-${name}`;
      await handle.copyFileIn(hostPath, sandboxPath);
      return sandboxPath;
    },
    async remove() {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Attachments of one run. Their removal never fails, because the work is done. */
function attachmentsOf(
  { options, signal, warn }: RunContext,
  { worktree, handle }: OpenSandbox,
): Pick<RunWorkspace, 'attach'> & { detach(isClosed: boolean): Promise<void> } {
  let attached: AttachmentFolder | undefined;
  return {
    async attach(attachments) {
      const { tag } = options.sandbox;
      attached = await makeAttachmentFolder(attachments, { worktree, handle, tag, signal });
      return attached;
    },
    async detach(isClosed) {
      const folder = attached;
      attached = undefined;
      await folder
        ?.remove({ isClosed })
        .catch((error: unknown) => warn(`The attachments could not be removed: ${String(error)}`));
    },
  };
}

function listenersOf({ warn, progress }: RunContext, onTip: EnterOptions['onTip']): SyncOutListeners {
  return {
    warn,
    onRecovered: (one) => progress.recovered.set(one.ref, one),
    onMade: (sha) => progress.made.add(sha),
    onTip,
  };
}

function notHandedOver(name: string, timeoutMs: number): SandboxError {
  return new SandboxError(
    `The sandbox \`${name}\` did not transfer its work within ${timeoutMs} ms after the abort. Inspect the sandbox, or raise \`timeouts.abortedHandOverMs\`.`,
    { code: 'sync' },
  );
}

/** Captures the session and returns its path. Some storages do not return the path themselves. */
async function captureToHost(
  storage: AgentSessionStorage,
  location: SandboxLocation & { readonly sessionId: string },
): Promise<string> {
  const { hostCwd, sessionId } = location;
  const path = await storage.captureToHost(location);
  if (typeof path === 'string') return path;
  const known = storage.hostSessionFilePath(hostCwd, sessionId);
  return known ?? (await storage.findByIdOnHost(sessionId)).path ?? sessionId;
}

type SandboxLocation = Omit<SessionLocation, 'sessionId'> & { readonly handle: SandboxHandle };

/** Created for each copy, because its time limit starts here. */
function locate({ options, stop }: RunContext, { worktree, handle }: OpenSandbox): SandboxLocation {
  return {
    hostCwd: worktree.path,
    sandboxCwd: handle.worktreePath,
    handle: boundedCopy(handle, {
      maxBytes: options.limits.sessionBytes,
      timeoutMs: options.timeouts.sessionCopyMs,
      signal: stop.signal,
    }),
  };
}
