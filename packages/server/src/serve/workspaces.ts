/** Workspaces of chats: one folder per chat, with a sandbox that is kept between turns. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';
import { ensureTruecastFolder } from 'truecast/internal/support/truecast-folder';
import type { EgressPolicy, SandboxHandle, SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { SandboxSetting } from '../config/run-settings.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Workspace, WorkspaceExecOptions, WorkspaceProvider } from '../tools/workspace.ts';

export interface OpenWorkspaces extends WorkspaceProvider {
  /** Closes the sandboxes. The folders remain. */
  close(): Promise<void>;
}

const ID = /^[\w-]+$/u;
/** Idle timeout of a sandbox, longer than a command's limit. The next command starts it again. */
const IDLE_MS = 15 * 60_000;

/** Opens the workspaces. A sandbox starts with a chat's first command. */
export async function openWorkspaces(
  settings: NonNullable<ServerConfig['workspace']>,
): Promise<OpenWorkspaces> {
  const provider = await makeSandbox(settings.sandbox, settings);
  const root =
    settings.folder === undefined
      ? ensureTruecastFolder(process.cwd(), 'workspaces')
      : trustedPath(settings.folder, { option: '`workspace.folder`' }).path;
  await mkdir(root, { recursive: true });
  const kept = new Map<string, KeptSandbox>();
  const closeOne = async (chatId: string): Promise<void> => {
    const sandbox = kept.get(chatId);
    kept.delete(chatId);
    clearTimeout(sandbox?.idle);
    // A sandbox that never started needs no close. Its caller has received the error.
    const handle = await sandbox?.handle.catch(() => undefined);
    await handle?.close();
  };
  const open = async (chatId: string): Promise<KeptSandbox> => {
    const folder = folderOf(root, chatId);
    const existing = kept.get(chatId);
    const sandbox: KeptSandbox = existing ?? { handle: start(provider, folder) };
    kept.set(chatId, sandbox);
    clearTimeout(sandbox.idle);
    sandbox.idle = setTimeout(() => {
      // No caller awaits this close. Parts that cannot be removed now remain.
      closeOne(chatId).catch(() => undefined);
    }, IDLE_MS).unref();
    sandbox.handle.catch(() => {
      clearTimeout(sandbox.idle);
      if (kept.get(chatId) === sandbox) kept.delete(chatId);
    });
    return sandbox;
  };
  return {
    open: async (chatId) => toWorkspace(await (await open(chatId)).handle),
    list: async () => {
      const entries = await readdir(root, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory() && ID.test(entry.name)).map(({ name }) => name);
    },
    remove: async (chatId) => {
      await closeOne(chatId);
      await rm(folderOf(root, chatId), { recursive: true, force: true });
    },
    close: async () => {
      await Promise.allSettled([...kept.keys()].map(closeOne));
    },
  };
}

interface KeptSandbox {
  readonly handle: Promise<SandboxHandle>;
  idle?: NodeJS.Timeout;
}

/**
 * Creates the sandbox of a configuration.
 *
 * @throws UsageError for conflicting options
 */
export async function makeSandbox(
  name: SandboxSetting,
  { imageName, egress }: { readonly imageName?: string; readonly egress?: EgressPolicy },
): Promise<SandboxProvider> {
  const make = await SANDBOXES[name].load();
  return make({ ...(egress !== undefined && { egress }), ...(imageName !== undefined && { imageName }) });
}

async function start(provider: SandboxProvider, folder: string): Promise<SandboxHandle> {
  await mkdir(folder, { recursive: true });
  return provider.create({ worktreePath: folder, hostRepoPath: folder, mounts: [], env: {} });
}

/** The server creates chat ids, but checks them before they become part of a path. */
function folderOf(root: string, chatId: string): string {
  if (ID.test(chatId)) return join(root, chatId);
  throw new UsageError(`Expected a chat id of letters, digits and hyphens, got \`${chatId}\`.`);
}

function toWorkspace(handle: SandboxHandle): Workspace {
  return {
    exec: async (command, { signal, timeoutMs, stdin, env }: WorkspaceExecOptions) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const result = await handle.exec(command, {
        signal: AbortSignal.any([signal, timeout]),
        ...(stdin !== undefined && { stdin }),
        ...(env !== undefined && { env }),
      });
      return { stdout: result.stdout, stderr: result.stderr, exitCode: result.exitCode };
    },
  };
}
