/**
 * Reader of the programs that git starts on the host: its configuration, and the installed hooks.
 */
import { lstat, readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { listConfig, type ConfigEntry } from '../../git/command/config-entries.ts';
import type { GitCallOptions } from '../../git/command/git.ts';
import { executedModules } from '../../support/executed-modules.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { readRegularFileSync } from '../../support/regular-file-sync.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import { findHostPrograms, type ConfigPair, type HostPrograms } from './paths/host-programs.ts';

const MAX_HOOKS = 64;
const MAX_HOOK_BYTES = 256 * 1024;
const MAX_ATTRIBUTES_BYTES = 1024 * 1024;

/**
 * Reads the host's configuration like the user's next git command. Starts none of the programs in
 * it.
 *
 * Call it before a guest starts, or after the git directory was verified.
 */
export async function readHostPrograms(
  repository: Repository,
  { timeoutMs, signal, known }: ReadProgramsOptions,
): Promise<HostPrograms> {
  const { topLevel, commonDir } = repository;
  const call = { timeoutMs, signal, cwd: topLevel, paths: pathsOf(repository) };
  const listed = known ?? (await listConfig(call));
  // The scope `command` contains this program's own overrides.
  const entries = listed
    .filter(({ scope }) => scope !== 'command')
    .map(({ key, value }): ConfigPair => [key, value]);
  const folder = hooksFolder(entries, { topLevel, commonDir });
  const attributes = readAttributes(entries, commonDir);
  const [hooks, linkedHooks] = await Promise.all([
    readHooks(folder, topLevel),
    realpath(folder).catch(() => undefined),
  ]);
  return findHostPrograms(
    entries,
    { topLevel, commonDir, home: homedir() },
    { hooks, attributes, linkedHooks, ownModules: await realPaths(executedModules()) },
  );
}

/** Git names the checkout by its real path. */
function realPaths(paths: readonly string[]): Promise<readonly string[]> {
  return Promise.all(paths.map((path) => realpath(path).catch(() => path)));
}

export interface ReadProgramsOptions extends GitCallOptions {
  /** Entries that were read before. If undefined, they are read now. */
  readonly known?: readonly ConfigEntry[] | undefined;
}

/** Reads the attributes of this repository, of the user and of the machine. */
function readAttributes(entries: readonly ConfigPair[], commonDir: string): string {
  const named = entries.findLast(([key]) => key === 'core.attributesfile')?.[1];
  const configHome = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const users = named?.replace(/^~(?=\/)/u, () => homedir()) ?? join(configHome, 'git', 'attributes');
  const paths = [join(commonDir, 'info', 'attributes'), users, '/etc/gitattributes'].filter(isAbsolute);
  const options = { maxBytes: MAX_ATTRIBUTES_BYTES, followsLink: true };
  return paths.map((path) => readRegularFileSync(path, options)?.toString() ?? '').join('\n');
}

function hooksFolder(
  entries: readonly ConfigPair[],
  { topLevel, commonDir }: Pick<Repository, 'topLevel' | 'commonDir'>,
): string {
  const path = entries.findLast(([key]) => key === 'core.hookspath')?.[1];
  if (path === undefined) return join(commonDir, 'hooks');
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(topLevel, path);
}

/** Returns the text of each hook. For a symlink into the checkout, returns its target. */
async function readHooks(folder: string, topLevel: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const hooks = names.filter((name) => !name.includes('.')).slice(0, MAX_HOOKS);
  const texts = await Promise.all(hooks.map((name) => readHook(join(folder, name), topLevel)));
  return texts.filter((text) => text !== undefined);
}

async function readHook(path: string, topLevel: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() === true) {
    const target = await realpath(path).catch(() => undefined);
    return target !== undefined && isPathWithin(topLevel, target) ? target : undefined;
  }
  return readRegularFileSync(path, { maxBytes: MAX_HOOK_BYTES })?.toString();
}
