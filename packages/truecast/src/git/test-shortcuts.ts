/** Shortcuts of test repositories: the commit of a branch is read, and a new setting is written, without a start of git. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where git looks for a name, in this order. */
const PLACES = ['', 'refs', 'refs/tags', 'refs/heads', 'refs/remotes'];
const PLAIN_NAME = /^(?:HEAD|[\w-]+(?:\/[\w-]+)*)$/u;
const FULL_ID = /^[\da-f]{40}$/u;

/** Returns the output of a git command without a start of git. Undefined where it needs git. */
export function withoutGit(repository: string, args: readonly string[]): string | undefined {
  const [command, name, value] = args;
  if (command === 'rev-parse' && args.length === 2) return looseReference(repository, name);
  const isSetting = command === 'config' && args.length === 3;
  if (!isSetting || name === undefined || value === undefined) return undefined;
  return addSetting(repository, name, value) ? '' : undefined;
}

const SETTING = /^(?<section>[a-z][\w-]*)(?:\.(?<part>[^\n"\\]+))?\.(?<name>[a-z][\da-z-]*)$/iu;

/** Adds a setting. Returns false where it needs git: if one of that name exists, or in a worktree or a bare repository. */
function addSetting(repository: string, key: string, value: string): boolean {
  const { section, part, name } = SETTING.exec(key)?.groups ?? {};
  const file = join(repository, '.git', 'config');
  const text = readText(file)?.toLowerCase();
  if (section === undefined || name === undefined || text === undefined || value.includes('\n')) return false;
  const isThere = text.split('\n').some((line) => line.trim().split(/[\s=]/u)[0] === name.toLowerCase());
  if (isThere) return false;
  const quoted = value.replaceAll(/[\\"]/gu, String.raw`\$&`).replaceAll('\t', String.raw`\t`);
  const head = part === undefined ? section : `${section} "${part}"`;
  appendFileSync(file, `[${head}]\n\t${name} = "${quoted}"\n`);
  return true;
}

/**
 * Returns the output of `git rev-parse <name>`. Undefined where it needs git: for another revision than a name, in a
 * worktree or a bare repository, for a packed reference, or for one that does not exist.
 */
export function looseReference(repository: string, name: string | undefined): string | undefined {
  const gitDir = join(repository, '.git');
  if (name === undefined || !PLAIN_NAME.test(name) || FULL_ID.test(name)) return undefined;
  if (!existsSync(join(gitDir, 'HEAD')) || existsSync(join(gitDir, 'packed-refs'))) return undefined;
  for (const place of PLACES) {
    const text = readText(join(gitDir, place, name));
    if (text === undefined) continue;
    const target = /^ref: (?<target>refs\/heads\/\S+)$/u.exec(text)?.groups?.['target'];
    const id = target === undefined ? text : readText(join(gitDir, target));
    return id !== undefined && FULL_ID.test(id) ? id : undefined;
  }
  return undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
