/** Owns the folder that a sandbox shows inside, where runs put the sockets of their finalizers, beside the program that reaches them. */
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, posix } from 'node:path';
import type { McpServerCommand } from '../agents/agent-provider.ts';
import type { MountConfig, SandboxProvider } from '../sandboxes/sandbox-provider.ts';
import { locateBridge } from './locate-bridge.ts';

/** A folder of sockets on the host. */
export interface FinalizerFolder {
  readonly hostPath: string;
  /** Shows the folder inside a sandbox. */
  readonly mounts: readonly MountConfig[];
  /** The command by which an agent in such a sandbox reaches the socket of this name. */
  command(socketName: string, tag: SandboxProvider['tag']): McpServerCommand;
  remove(): Promise<void>;
}

/** Name of the server, as the agents' configurations know it. */
const SERVER_NAME = 'truecast';

const SANDBOX_PATH = '/run/truecast/finalizer';

/** The system takes no more than 104 bytes (macOS) or 108 (Linux) for a socket's path; what is put into the folder needs 40. */
const MAX_FOLDER_BYTES = 60;

/** Makes a folder; the caller removes it. A socket that is put into it later is seen inside at once. */
export async function makeFinalizerFolder(): Promise<FinalizerFolder> {
  const parent = Buffer.byteLength(tmpdir()) > MAX_FOLDER_BYTES ? '/tmp' : tmpdir();
  // On the host nobody else gets past the outer folder; inside, where the user may be another, only the inner one is seen.
  const outer = await mkdtemp(join(parent, 'truecast-'));
  const hostPath = join(outer, 'f');
  const program = locateBridge();
  // Node tells from the ending whether it must strip types.
  const programName = `bridge${extname(program)}`;
  await mkdir(hostPath, { mode: 0o755 });
  await copyFile(program, join(hostPath, programName));
  await chmod(join(hostPath, programName), 0o644);
  return {
    hostPath,
    mounts: [{ hostPath, sandboxPath: SANDBOX_PATH, readonly: true }],
    command(socketName, tag) {
      const inside = (name: string): string =>
        tag === 'none' ? join(hostPath, name) : posix.join(SANDBOX_PATH, name);
      return {
        name: SERVER_NAME,
        // Inside, the PATH knows where Node is.
        command: tag === 'none' ? process.execPath : 'node',
        args: [inside(programName), inside(socketName)],
      };
    },
    remove: () => rm(outer, { recursive: true, force: true }),
  };
}
