/** Writes converted files below `.truecast/`. Never overwrites a file or follows a link. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GIT_TIMEOUT_MS, git, gitFailed } from 'truecast/internal/git/command/git';
import { pathsOf, type Repository } from 'truecast/internal/git/repository/repository';
import { openRegularFile, readRegularFile } from 'truecast/internal/support/open-regular-file';
import type { TargetFile } from './convert-files.ts';
import { SOURCE_FOLDER, type SkippedFile } from './read-project.ts';

const MAX_OTHER_FILES = 20;
/** Paths in both folders, and files of package managers. */
const NOT_SEARCHED = /^\.(?:sandcastle|truecast)\/|(?:^|\/)(?:npm-shrinkwrap|[\w-]*lock)\.\w+$/u;

export interface WrittenProject {
  readonly written: readonly TargetFile[];
  readonly skipped: readonly SkippedFile[];
}

/**
 * Writes each file that does not exist. An environment file must be untracked and ignored by git.
 */
export async function writeProject(
  repository: Repository,
  files: readonly TargetFile[],
): Promise<WrittenProject> {
  const tracked = await trackedFiles(repository);
  const written: TargetFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const file of files) {
    const isTracked = file.isSecret && tracked.has(`${SOURCE_FOLDER}/${file.name}`);
    const reason = isTracked
      ? 'git tracks it, so a commit could send your keys elsewhere; read it, then copy it yourself'
      : await write(repository, file);
    if (reason === undefined) written.push(file);
    else skipped.push({ name: file.name, reason });
  }
  return { written, skipped };
}

/** Writes a file. Returns the reason if the file was not written. */
async function write(
  repository: Repository,
  { name, content, mode, isSecret }: TargetFile,
): Promise<string | undefined> {
  const root = repository.topLevel;
  const path = join('.truecast', name);
  try {
    await using file = await openRegularFile({ root, path, mode: 'create', makesFolders: true });
    // Checked while the file is empty, because git lists only files that exist.
    if (isSecret && (await isVisible(repository, path))) {
      await rm(join(root, path));
      return 'git would see the copy; add `.env` to `.truecast/.gitignore`, then start this command again';
    }
    await file.writeFile(content);
    await file.chmod(mode);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'unsafe-path') return error.message;
    if (error.code !== 'EEXIST') throw error;
    const there = await readRegularFile({ root, path, maxBytes: content.length }).catch(() => undefined);
    return there?.equals(content) === true
      ? 'already converted'
      : `\`${path}\` exists, and nothing is overwritten`;
  }
}

async function isVisible(repository: Repository, path: string): Promise<boolean> {
  return (await call(repository, ['ls-files', '--others', '--exclude-standard', '--', path])) !== '';
}

async function trackedFiles(repository: Repository): Promise<ReadonlySet<string>> {
  return new Set(split(await call(repository, ['ls-files', '-z', '--full-name', '--', SOURCE_FOLDER])));
}

/** Returns `path` of files outside of the folder that name Sandcastle, at most 20. */
export async function findOtherFiles(repository: Repository): Promise<readonly string[]> {
  const names = ['-e', '@ai-hero/sandcastle', '-e', '.sandcastle/'];
  const found = split(await call(repository, ['grep', '-lIzF', '--untracked', ...names]));
  return found.filter((path) => !NOT_SEARCHED.test(path)).slice(0, MAX_OTHER_FILES);
}

async function call({ gitDir, commonDir, topLevel }: Repository, args: readonly string[]): Promise<string> {
  const paths = pathsOf({ gitDir, commonDir, topLevel });
  const result = await git(args, { cwd: topLevel, paths, timeoutMs: GIT_TIMEOUT_MS });
  // `git grep` exits with 1 if nothing matches.
  if (result.exitCode > 1) throw gitFailed(args, result, topLevel);
  return result.stdout;
}

function split(list: string): readonly string[] {
  return list.split('\0').filter((path) => path !== '');
}
