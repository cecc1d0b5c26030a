/** Folder for finalizer sockets, mounted into a sandbox together with the bridge program. */
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import type { McpServerCommand } from '../../ports/agent-provider.ts';
import type { MountConfig, SandboxProvider } from '../../ports/sandbox-provider.ts';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { FinalizerServer } from './finalizer-server.ts';

/** A host folder for sockets. */
export interface FinalizerFolder {
  readonly hostPath: string;
  /** Mounts of the folder inside a sandbox. */
  readonly mounts: readonly MountConfig[];
  /** Returns the command that connects an agent in such a sandbox to the server. */
  command(
    server: Pick<FinalizerServer, 'socketName' | 'watchName'>,
    tag: SandboxProvider['tag'],
  ): McpServerCommand;
  remove(): Promise<void>;
}

/** Server name in the agents' configurations. */
const SERVER_NAME = 'truecast';

/** It has no types, so Node need not strip them from the source. */
const PROGRAM_NAME = 'bridge.mjs';

const SANDBOX_PATH = '/run/truecast/finalizer';

/**
 * The system limits a socket's path to 104 bytes (macOS) or 108 bytes (Linux). Names within the
 * folder need 40.
 */
const MAX_FOLDER_BYTES = 60;

/**
 * Creates a folder. The caller removes it. Sockets that are added later are visible inside
 * immediately.
 */
export async function makeFinalizerFolder(): Promise<FinalizerFolder> {
  const parent = Buffer.byteLength(tmpdir()) > MAX_FOLDER_BYTES ? '/tmp' : tmpdir();
  // On the host, only this user can enter the outer folder. Inside, the user can be another one,
  // and only the inner folder is mounted.
  const outer = await mkdtemp(join(parent, 'truecast-'));
  const hostPath = join(outer, 'f');
  const program = locateBridge();
  await mkdir(hostPath, { mode: 0o755 });
  await copyFile(program, join(hostPath, PROGRAM_NAME));
  await chmod(join(hostPath, PROGRAM_NAME), 0o644);
  return {
    hostPath,
    mounts: [{ hostPath, sandboxPath: SANDBOX_PATH, readonly: true }],
    command({ socketName, watchName }, tag) {
      const inside = (name: string): string =>
        tag === 'none' ? join(hostPath, name) : posix.join(SANDBOX_PATH, name);
      return {
        name: SERVER_NAME,
        // Inside, Node is found on the PATH.
        command: tag === 'none' ? process.execPath : 'node',
        args: [inside(PROGRAM_NAME), inside(socketName)],
        watchSocket: inside(watchName),
      };
    },
    remove: () => rm(outer, { recursive: true, force: true }),
  };
}

/**
 * In the source tree the bridge is next to this file. In the build, this file is part of an entry
 * or a chunk, at the root or one folder below.
 */
const PLACES = ['./bridge.ts', './bridge.mjs', '../bridge.mjs', './bridge.js', '../bridge.js'];

/**
 * Returns the path of the bridge program.
 *
 * @throws SandboxError `start` if this build does not contain it
 */
function locateBridge(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return realpathSync(found);
  throw new SandboxError(
    "This build of truecast lacks `bridge.mjs`, so `mode: 'mcp'` cannot work. Install truecast again.",
    { code: 'start' },
  );
}
