/**
 * State directory: a folder in the user's home that only Truecast writes (XDG Base Directory
 * Specification).
 *
 * Guests and repositories cannot write to it, so its files can be trusted.
 */
import { chmodSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/**
 * Returns `$XDG_STATE_HOME/truecast`, by default `~/.local/state/truecast`. Creates nothing.
 *
 * A relative `XDG_STATE_HOME` is ignored, as required by the specification.
 *
 * @throws UsageError `no-state-folder` if the home folder is unknown too
 */
export function stateHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const given = env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(given)) return join(given, 'truecast');
  const home = findHome(env);
  if (isAbsolute(home)) return join(home, '.local', 'state', 'truecast');
  throw noStateFolder('there is no home folder: `HOME` is not set to an absolute path');
}

/**
 * Creates a folder below the state directory, with access for this user only, and an ignore file at
 * the top.
 *
 * @throws UsageError `no-state-folder` if it cannot be created
 */
export function ensurePrivateFolder(path: string): string {
  const home = stateHome();
  try {
    mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
    // A home folder can be a repository itself. These files must not be added by `git add -A`.
    writeNew(join(home, '.gitignore'), '*\n');
    for (const folder of new Set([home, path])) {
      if ((statSync(folder).mode & OTHERS) !== 0) chmodSync(folder, FOLDER_MODE);
    }
  } catch (cause) {
    throw noStateFolder(
      `\`${path}\` cannot be created: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
  return path;
}

/**
 * Refuses a folder that guests write to and that contains the state directory.
 *
 * @throws UsageError `exposed-state-folder`
 */
export function assertStateOutside(folder: string): void {
  const home = realPath(stateHome());
  const between = relative(realPath(folder), home);
  if (between === '..' || between.startsWith(`..${sep}`) || isAbsolute(between)) return;
  throw new UsageError(
    `Expected the state folder to be outside of the checkout, but \`${home}\` is inside \`${folder}\`. A sandboxed agent could change it. Set \`XDG_STATE_HOME\` to a folder outside of the checkout, or work on a branch: \`branchStrategy: { type: 'branch', branch }\`.`,
    { code: 'exposed-state-folder' },
  );
}

/** Resolves links in the existing part of `path`. The rest is unchanged. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

function writeNew(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function findHome({ HOME: home }: Readonly<Record<string, string | undefined>>): string {
  if (home !== undefined && home !== '') return home;
  try {
    return homedir();
  } catch {
    // The password file has no entry for this user, as in many containers.
    return '';
  }
}

function noStateFolder(reason: string, cause?: unknown): UsageError {
  return new UsageError(
    `The state folder for logs and databases cannot be used: ${reason}. Set \`XDG_STATE_HOME\` to the absolute path of a folder that you can write to.`,
    { code: 'no-state-folder', cause },
  );
}
