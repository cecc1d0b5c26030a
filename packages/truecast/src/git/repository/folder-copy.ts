/**
 * Repository for a run that only reads: the caller's own one, or outside of any repository a bounded
 * copy of the folder, which is a repository of one commit and is removed afterwards.
 */
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, opendir, readdir, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CwdError } from '@truecast/core/internal/errors/usage-error';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { useStateFolderOf } from '@truecast/host/internal/state-folder';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { git, gitFailed, type GitCallOptions } from '../command/git.ts';
import { endAgentsOf } from '../command/left-agents.ts';
import { makeTemporaryFolder, removeDeadFolders, removeTree } from '../../process/temporary-folder.ts';
import { openRegularFile } from '../../support/open-regular-file.ts';
import { hasCode } from '../../support/storage-error.ts';
import { openRepository, type OpenRepositoryOptions, type Repository } from './repository.ts';

/** Bounds of a copy. */
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;

/** A repository to read. */
export interface ReadableRepository {
  readonly repository: Repository;
  /** True if it is a copy of a folder. */
  readonly isCopy: boolean;
  /** Removes a copy. Does nothing for the caller's own repository. */
  remove(): Promise<void>;
}

const KIND = 'copy';

/**
 * Opens the repository of a folder, or a copy of the folder.
 *
 * @throws CwdError for a folder above the bounds; RepositoryError, except `not-a-repository`
 */
export async function openReadable(cwd: string, options: OpenRepositoryOptions): Promise<ReadableRepository> {
  try {
    return await openOnly(cwd, options);
  } catch (error) {
    if (!isOutside(error)) throw error;
    return openCopy(cwd, options);
  }
}

/** Opens the repository of a folder. @throws CwdError, RepositoryError */
export async function openOnly(cwd: string, options: OpenRepositoryOptions): Promise<ReadableRepository> {
  return { repository: await openRepository(cwd, options), isCopy: false, remove: () => Promise.resolve() };
}

/** A repository of another user is refused by git. It is not outside of one. */
function isOutside(error: unknown): boolean {
  return (
    RepositoryError.isInstance(error) &&
    error.code === 'not-a-repository' &&
    !/dubious ownership/u.test(error.stderrTail ?? '')
  );
}

async function openCopy(cwd: string, options: OpenRepositoryOptions): Promise<ReadableRepository> {
  await removeDeadFolders(KIND, endAgentsIn);
  const from = trustedPath(cwd, { option: '`cwd`' }).path;
  await assertSmall(from, options.signal);
  const folder = await makeTemporaryFolder(KIND);
  let endState = (): void => undefined;
  const remove = async (): Promise<void> => {
    endState();
    await removeTree(folder);
  };
  try {
    const name = basename(from);
    const copy = join(await realpath(folder), name === '' ? 'folder' : name);
    await mkdir(copy, { mode: 0o700 });
    await copyFolder(from, copy, options.signal);
    await commitAll(copy, options);
    await copyEnvFile(from, copy);
    endState = useStateFolderOf(from, join(copy, '.git'));
    return { repository: await openRepository(copy, options), isCopy: true, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Without a sandbox, the agent of a killed run still works in its copy. */
async function endAgentsIn(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await endAgentsOf(join(folder, name, '.git'));
}

/** Repositories in the folder lose their git directory. Truecast's own files are not the agent's. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.truecast']);

interface Entry {
  /** Relative to the folder. */
  readonly path: string;
  readonly kind: 'folder' | 'link' | 'file';
}

/**
 * Lists the copied files. Pipes, sockets and devices are left out.
 *
 * @yields folders before their content
 */
async function* walk(from: string, path = '.'): AsyncIterable<Entry> {
  for await (const entry of await opendir(join(from, path))) {
    if (LEFT_OUT.has(entry.name)) continue;
    const next = join(path, entry.name);
    if (entry.isSymbolicLink()) yield { path: next, kind: 'link' };
    else if (entry.isFile()) yield { path: next, kind: 'file' };
    else if (entry.isDirectory()) {
      yield { path: next, kind: 'folder' };
      yield* walk(from, next);
    }
  }
}

interface Copied {
  readonly from: string;
  /** Counts so far. */
  readonly count: { entries: number; bytes: number };
}

/** Refuses a large folder before anything is copied. */
async function assertSmall(from: string, signal: AbortSignal | undefined): Promise<void> {
  const count = { entries: 0, bytes: 0 };
  for await (const { path, kind } of walk(from)) {
    signal?.throwIfAborted();
    count.entries += 1;
    if (kind === 'file') count.bytes += (await lstat(join(from, path))).size;
    assertBounds({ from, count });
  }
}

/** Links stay links. The bounds hold for a folder that grows during the copy. */
async function copyFolder(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  const copied = { from, count: { entries: 0, bytes: 0 } };
  for await (const { path, kind } of walk(from)) {
    signal?.throwIfAborted();
    copied.count.entries += 1;
    assertBounds(copied);
    if (kind === 'folder') await mkdir(join(to, path));
    else if (kind === 'link') await symlink(await readlink(join(from, path)), join(to, path));
    else await copyFile(copied, path, to);
  }
}

async function copyFile(copied: Copied, path: string, to: string): Promise<void> {
  await using file = await openRegularFile({ root: copied.from, path, mode: 'read' });
  const { mode } = await file.stat();
  const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of chunks) {
      copied.count.bytes += chunk.byteLength;
      assertBounds(copied);
      yield chunk;
    }
  };
  const target = createWriteStream(join(to, path), { flags: 'wx', mode: mode & 0o777 });
  await pipeline(file.createReadStream({ autoClose: false }), counted, target);
}

function assertBounds({ from, count: { entries, bytes } }: Copied): void {
  if (entries <= MAX_ENTRIES && bytes <= MAX_BYTES) return;
  throw new CwdError(
    `Expected \`cwd\` outside of a repository to have at most ${MAX_ENTRIES} files and ${MAX_BYTES / 1024 / 1024} MiB, because \`readOnly\` copies it, but \`${from}\` has more. Pass a smaller folder, or run \`git init && git add . && git commit -m "Begin"\` there.`,
    { cwd: from },
  );
}

/** Bytes stay equal, whatever the attributes of the folder and the user's configuration say. */
const EXACT = '* -text -ident -filter -working-tree-encoding\n';
const IDENTITY = ['user.name=Truecast', 'user.email=truecast@localhost', 'commit.gpgSign=false'];

async function commitAll(copy: string, { timeoutMs, signal }: GitCallOptions): Promise<void> {
  const call = { timeoutMs: Math.max(timeoutMs, MIN_COMMIT_MS), signal, cwd: copy, config: IDENTITY };
  const run = async (...args: readonly string[]): Promise<void> => {
    const result = await git(args, call);
    if (result.exitCode !== 0) throw gitFailed(args, result, copy);
  };
  await run('init', '--quiet', '--initial-branch=main', '--template=');
  await mkdir(join(copy, '.git', 'info'), { recursive: true });
  await writeFile(join(copy, '.git', 'info', 'attributes'), EXACT);
  // Also what the user's or the folder's ignore files name.
  await run('add', '--all', '--force', '.');
  await run('commit', '--quiet', '--no-verify', '--allow-empty', '--message', 'Files');
}

/** Git reads and writes up to 512 MiB. */
const MIN_COMMIT_MS = 300_000;

/** Declared secrets are read from the copy, where git ignores them. */
async function copyEnvFile(from: string, copy: string): Promise<void> {
  const path = join('.truecast', '.env');
  const found = await lstat(join(from, path)).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
  });
  if (found === undefined) return;
  await mkdir(dirname(join(copy, path)), { mode: 0o700 });
  await copyFile({ from, count: { entries: 0, bytes: 0 } }, path, copy);
}
