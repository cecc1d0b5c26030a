/** Files of a project's `.sandcastle/` folder. A link, a pipe, or a file that is too large is skipped with a reason. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { openRegularFile, readRegularFile } from 'truecast/internal/support/open-regular-file';

/** Name of the folder, relative to the repository. */
export const SOURCE_FOLDER = '.sandcastle';

export interface SourceFile {
  /** Path below `.sandcastle/`. */
  readonly name: string;
  readonly content: Buffer;
  /** Permissions. */
  readonly mode: number;
}

export interface SkippedFile {
  readonly name: string;
  readonly reason: string;
}

export interface SourceProject {
  readonly files: readonly SourceFile[];
  readonly skipped: readonly SkippedFile[];
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FILES = 500;
const MAX_DEPTH = 8;
/** Contents of earlier runs. */
const NOT_CONVERTED: Readonly<Record<string, string>> = {
  logs: 'logs of earlier runs',
  worktrees:
    'worktrees of earlier runs, which keep their branches in use; `git worktree list` lists them, `git worktree remove` removes them',
  patches: 'patches of earlier runs',
  node_modules: 'installed packages',
};

/**
 * Reads the folder.
 *
 * @throws UsageError if it does not exist, is a link, or has too many files
 */
export async function readProject(top: string): Promise<SourceProject> {
  const found = await lstat(join(top, SOURCE_FOLDER)).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new UsageError(
      `Expected a folder \`${join(top, SOURCE_FOLDER)}\`. Pass the repository that uses Sandcastle as \`--cwd\`, or leave out \`--from-sandcastle\`.`,
    );
  }
  const skipped: SkippedFile[] = [];
  const names = await listNames(top, '', skipped);
  const files: SourceFile[] = [];
  for (const name of names) {
    const read = await readSource(top, name).catch((error: unknown) => reasonOf(error));
    if (typeof read === 'string') skipped.push({ name, reason: read });
    else files.push(read);
  }
  return { files, skipped };
}

async function listNames(top: string, folder: string, skipped: SkippedFile[]): Promise<readonly string[]> {
  if (folder.split('/').length > MAX_DEPTH) throw tooMany(top);
  const entries = await readdir(join(top, SOURCE_FOLDER, folder), { withFileTypes: true });
  const names: string[] = [];
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const reason =
      entry.isDirectory() && Object.hasOwn(NOT_CONVERTED, name) ? NOT_CONVERTED[name] : undefined;
    if (reason !== undefined) skipped.push({ name: `${name}/`, reason });
    else if (entry.isDirectory()) names.push(...(await listNames(top, name, skipped)));
    else names.push(name);
    if (names.length > MAX_FILES) throw tooMany(top);
  }
  return names;
}

async function readSource(top: string, name: string): Promise<SourceFile | string> {
  const path = join(SOURCE_FOLDER, name);
  const content = await readRegularFile({ root: top, path, maxBytes: MAX_FILE_BYTES });
  if (content === undefined) return 'it was removed in the meantime';
  await using file = await openRegularFile({ root: top, path, mode: 'read' });
  return { name, content, mode: (await file.stat()).mode & 0o777 };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tooMany(top: string): UsageError {
  return new UsageError(
    `Expected at most ${MAX_FILES} files, ${MAX_DEPTH} folders deep, in \`${join(top, SOURCE_FOLDER)}\`. Move files that are not part of the project elsewhere.`,
  );
}
