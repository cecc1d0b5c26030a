/** Environment file `.truecast/.env`: read only if no commit and no guest can have written it. */
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { GIT_TIMEOUT_MS, git, gitFailed } from '../../git/command/git.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import { truecastFolder, worktreesFolder } from '../../support/truecast-folder.ts';
import { readRegularFile } from '../../support/open-regular-file.ts';

/** Its path below the checkout. */
export const ENV_FILE = '.truecast/.env';
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the variables of the file, or undefined if it does not exist.
 *
 * @throws RepositoryError `unsafe-path` for a link or another kind of file, `untrusted-env-file`
 *   for one that git tracks
 *   or that lies in a worktree of a run
 */
export async function readEnvFile(
  repository: Repository,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { topLevel, mainTopLevel } = repository;
  const text = await readRegularFile({ root: topLevel, path: ENV_FILE, maxBytes: MAX_BYTES });
  if (text === undefined) return undefined;
  if (isPathWithin(worktreesFolder(mainTopLevel), topLevel)) throw writtenByGuest(topLevel);
  await assertUntracked(repository);
  return Object.fromEntries(
    Object.entries(parseEnv(text.toString())).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}

/** Returns false if `git add` would add the file. */
export async function isEnvFileIgnored(repository: Repository): Promise<boolean> {
  const args = ['ls-files', '--others', '--exclude-standard', '--', ENV_FILE];
  const call = { cwd: repository.topLevel, paths: pathsOf(repository), timeoutMs: GIT_TIMEOUT_MS };
  const result = await git(args, call);
  if (result.exitCode !== 0) throw gitFailed(args, result, repository.topLevel);
  return result.stdout === '';
}

/**
 * Some file systems open `.ENV` by the name `.env`. Git has no literal pathspec for that, so all
 * names are listed there.
 */
const HAS_CASE = process.platform !== 'darwin' && process.platform !== 'win32';

async function assertUntracked(repository: Repository): Promise<void> {
  const args = ['ls-files', '-z', '--full-name', ...(HAS_CASE ? ['--', '.truecast'] : [])];
  const call = { cwd: repository.topLevel, paths: pathsOf(repository), timeoutMs: GIT_TIMEOUT_MS };
  const result = await git(args, call);
  if (result.exitCode !== 0) throw gitFailed(args, result, repository.topLevel);
  const tracked = result.stdout
    .split('\0')
    // If `.truecast` is a submodule, its files come with a clone too.
    .find((name) => [ENV_FILE, '.truecast'].includes(name.toLowerCase()));
  if (tracked === undefined) return;
  throw new RepositoryError(
    `Expected \`${ENV_FILE}\` to be written only by you, but git tracks \`${tracked}\`. A commit to it could send your keys elsewhere. Read the file, then run \`git rm --cached ${tracked}\` and commit that.`,
    { code: 'untrusted-env-file' },
  );
}

function writtenByGuest(topLevel: string): RepositoryError {
  const path = join(truecastFolder(topLevel), '.env');
  return new RepositoryError(
    `Expected \`cwd\` to be your own checkout, but agents work in \`${topLevel}\`, where they can write \`${path}\`. Remove that file, or start in the main checkout.`,
    { code: 'untrusted-env-file' },
  );
}
