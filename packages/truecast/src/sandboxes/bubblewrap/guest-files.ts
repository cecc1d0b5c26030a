/**
 * File copies between the host and folders that a guest writes. No symlink of the guest is
 * followed, not even one created during the copy: each folder on the path is opened relative to its
 * parent's descriptor. Linux only.
 */
import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { isInside } from './programs.ts';

/** A folder or file of the host, and its path inside. */
export interface GuestRoot {
  readonly hostPath: string;
  readonly sandboxPath: string;
  readonly readonly: boolean;
}

const { O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
const COPIED_FILE_MODE = 0o600;
const COPY_BUFFER_BYTES = 256 * 1024;

/** Copies a file of the guest to the host. @throws SandboxError `copy` */
export function copyFromGuest(
  roots: readonly GuestRoot[],
  sandboxPath: string,
  hostPath: string,
): Promise<void> {
  return copying(sandboxPath, hostPath, async () => {
    // A pipe instead of a file must not block this process.
    await using source = await openInside(
      findRoot(roots, sandboxPath),
      sandboxPath,
      O_RDONLY | O_NONBLOCK,
      false,
    );
    if (!(await source.stat()).isFile()) throw refusal(sandboxPath, 'it is not a file');
    await mkdir(dirname(hostPath), { recursive: true });
    await using target = await open(hostPath, 'w', COPIED_FILE_MODE);
    await copyBytes(source, target);
  });
}

/** Copies a file of the host to the guest, and creates its folders. @throws SandboxError `copy` */
export function copyToGuest(
  roots: readonly GuestRoot[],
  hostPath: string,
  sandboxPath: string,
): Promise<void> {
  return copying(hostPath, sandboxPath, async () => {
    const root = findRoot(roots, sandboxPath);
    if (root.readonly) throw refusal(sandboxPath, 'it is read-only');
    await using source = await open(hostPath, 'r');
    const mode = (await source.stat()).mode & 0o777;
    await using target = await openInside(root, sandboxPath, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, true);
    if (!(await target.stat()).isFile()) throw refusal(sandboxPath, 'it is not a file');
    await target.chmod(mode);
    await copyBytes(source, target);
  });
}

async function copyBytes(source: FileHandle, target: FileHandle): Promise<void> {
  const buffer = new Uint8Array(COPY_BUFFER_BYTES);
  for (;;) {
    const { bytesRead } = await source.read(buffer);
    if (bytesRead === 0) return;
    for (let written = 0; written < bytesRead;) {
      written += (await target.write(buffer, written, bytesRead - written)).bytesWritten;
    }
  }
}

async function copying(from: string, to: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (cause) {
    if (SandboxError.isInstance(cause)) throw cause;
    const message = `Cannot copy \`${from}\` to \`${to}\`. Check that the source is a file, that the target is writable, and that the path inside the sandbox contains no symbolic link.`;
    throw new SandboxError(message, { code: 'copy', cause });
  }
}

function findRoot(roots: readonly GuestRoot[], sandboxPath: string): GuestRoot {
  const found = roots
    .filter((root) => isInside(sandboxPath, root.sandboxPath))
    .toSorted((one, other) => other.sandboxPath.length - one.sandboxPath.length)[0];
  if (found !== undefined) return found;
  throw refusal(sandboxPath, 'only the home, the worktree and mounts persist between commands');
}

async function openInside(
  { hostPath, sandboxPath: rootPath }: GuestRoot,
  sandboxPath: string,
  flags: number,
  makesFolders: boolean,
): Promise<FileHandle> {
  const parts = posix
    .relative(rootPath, sandboxPath)
    .split('/')
    .filter((part) => part !== '');
  const name = parts.pop();
  if (name === undefined) return open(hostPath, flags);
  let folder = await open(hostPath, O_RDONLY | O_DIRECTORY);
  try {
    for (const part of parts) {
      const path = `/proc/self/fd/${folder.fd}/${part}`;
      if (makesFolders) await mkdir(path).catch(ignoreExisting);
      const next = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await folder.close();
      folder = next;
    }
    return await open(`/proc/self/fd/${folder.fd}/${name}`, flags | O_NOFOLLOW, COPIED_FILE_MODE);
  } finally {
    await folder.close();
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
}

function refusal(sandboxPath: string, why: string): SandboxError {
  const message = `Cannot copy \`${sandboxPath}\` in the sandbox: ${why}. Use a file in the worktree or in HOME.`;
  return new SandboxError(message, { code: 'copy' });
}
