/** Loose references of a test repository: the commit of a branch, read without a start of git. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where git looks for a name, in this order. */
const PLACES = ['', 'refs', 'refs/tags', 'refs/heads', 'refs/remotes'];
const PLAIN_NAME = /^(?:HEAD|[\w-]+(?:\/[\w-]+)*)$/u;
const FULL_ID = /^[\da-f]{40}$/u;

/**
 * Returns what `git rev-parse <name>` prints. Undefined where it needs git: for another revision than a name, in a
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
