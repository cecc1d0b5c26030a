/**
 * Isolated machine as a sandbox: set up at the start, and synced to the host when the run requests
 * it.
 */
import { mkdir } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { quoteArgument } from '../../support/shell-quote.ts';
import type { GitHandOver, OwnGitCreateOptions, OwnGitHandle } from '../../ports/own-git.ts';
import type { SandboxExecOptions } from '../../ports/sandbox-provider.ts';
import { bringBack, type BroughtBack } from './bring-back.ts';
import { runInside, type GuestMachine } from './guest-machine.ts';
import { PREPARE_SCRIPT } from './guest-scripts.ts';
import { openHostWorktree } from './host-worktree.ts';
import { sendWorktree } from './send-worktree.ts';

/**
 * Sets up the worktree on a machine and returns it as a sandbox. If the setup fails, the machine is
 * closed.
 */
export async function openIsolatedSandbox(
  machine: GuestMachine,
  options: OwnGitCreateOptions,
): Promise<OwnGitHandle> {
  const { handle } = machine;
  try {
    const host = await openHostWorktree(options);
    const said = (await runInside(machine, PREPARE_SCRIPT, '/')).stdout.split('\n');
    const value = (name: string): string =>
      said.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
    const travelFolder = value('folder');
    // An empty path would resolve to a path of this host.
    if (!travelFolder.startsWith('/')) {
      throw new SandboxError(
        `The sandbox \`${machine.name}\` created no temporary folder. Check that \`exec\` returns stdout, and \`mktemp -d\` inside.`,
        { code: 'start' },
      );
    }
    const homePath = handle.homePath ?? value('home');
    const sends = options.sends ?? { branches: [], paths: [] };
    let state = await sendWorktree({ host, machine, travelFolder, sends });
    const sync = async (): Promise<BroughtBack> => {
      const brought = await bringBack({ host, machine, travelFolder, before: state });
      if (brought.success) state = brought.state;
      return brought;
    };
    return toSandboxHandle(machine, { travelFolder, homePath, sync });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface OpenedMachine {
  readonly travelFolder: string;
  readonly homePath: string;
  readonly sync: () => Promise<BroughtBack>;
}

function toSandboxHandle(
  machine: GuestMachine,
  { travelFolder, homePath, sync }: OpenedMachine,
): OwnGitHandle {
  const { handle, name } = machine;
  const { interactiveExec } = handle;
  let closed: Promise<void> | undefined;
  let syncing: Promise<unknown> = Promise.resolve();
  let holdsOnlyCopy = false;
  const assertOpen = (): void => {
    if (closed === undefined) return;
    throw new SandboxError(`The sandbox \`${name}\` is closed. Start a new one to run a command.`, {
      code: 'exec',
    });
  };
  const close = async (): Promise<void> => {
    await syncing.catch(() => undefined);
    // Closing the machine would destroy work that could not be transferred.
    if (holdsOnlyCopy) return;
    await runInside(machine, `rm -rf -- ${quoteArgument(travelFolder)}`, '/').catch(() => undefined);
    await handle.close();
  };
  const handOver = async (): Promise<GitHandOver> => {
    if (closed !== undefined) return { recovered: [], warnings: [] };
    // Sequential, because each sync continues from the state of the previous one.
    const brought = syncing.catch(() => undefined).then(sync);
    syncing = brought;
    const result = await brought;
    holdsOnlyCopy = !result.success && !result.isSaved;
    if (!result.success) throw result.error;
    return { recovered: result.recovered, warnings: result.warnings };
  };
  return {
    worktreePath: handle.worktreePath,
    ...(homePath !== '' && { homePath }),
    ...(handle.streamsChunks === true && { streamsChunks: true }),
    egress: 'host',
    async exec(command, options: SandboxExecOptions = {}) {
      assertOpen();
      return handle.exec(command, options);
    },
    ...(interactiveExec !== undefined && {
      interactiveExec: (args, options) => interactiveExec.call(handle, args, options),
    }),
    async copyFileIn(hostPath, sandboxPath) {
      assertOpen();
      await runInside(machine, `mkdir -p -- ${quoteArgument(posix.dirname(sandboxPath))}`, '/');
      await asCopy(`\`${hostPath}\` into the sandbox`, handle.copyIn(hostPath, sandboxPath));
    },
    async copyFileOut(sandboxPath, hostPath) {
      await mkdir(dirname(hostPath), { recursive: true });
      await asCopy(`\`${sandboxPath}\` out of the sandbox`, handle.copyFileOut(sandboxPath, hostPath));
    },
    handOver,
    syncOut: async () => (await handOver()).warnings,
    close() {
      closed ??= close();
      return closed;
    },
  };
}

async function asCopy(what: string, copying: Promise<void>): Promise<void> {
  try {
    await copying;
  } catch (cause) {
    const why = cut(cause instanceof Error ? cause.message : String(cause));
    throw new SandboxError(
      `Cannot copy ${what}: ${why} Check that the source is a file and that the target is writable.`,
      {
        code: 'copy',
        cause,
      },
    );
  }
}
