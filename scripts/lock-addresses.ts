/**
 * Lock addresses: each lock file has the address of each package's archive. Without them, `npm ci` downloads
 * the list of all versions of each package: 10 of 30 seconds of the processor.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const ROOT: string = join(import.meta.dirname, '..');

/** No host of the network: `replace-registry-host` of `.npmrc` makes npm ask the registry that the user has configured. */
const HOST = 'registry';

/** Records keep npm's order of the members. */
const Members = z.record(z.string(), z.unknown());
const Packages = z.record(z.string(), Members);
type LockedPackage = z.infer<typeof Members>;

/** Returns the paths of all lock files of the project. */
export function lockFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '*package-lock.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\0').filter((path) => path !== '');
}

/** Returns the text of a lock file with the address of each archive. */
export function withAddresses(text: string): string {
  const lock = Members.parse(JSON.parse(text));
  const packages: readonly (readonly [string, LockedPackage])[] = Object.entries(
    Packages.parse(lock['packages']),
  ).map(([path, locked]) => [path, hasArchive(path, locked) ? addressed(path, locked) : locked]);
  return `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

/** Workspaces and what another package's archive contains have none. */
function hasArchive(path: string, { link, inBundle }: LockedPackage): boolean {
  return path.includes('node_modules/') && link !== true && inBundle !== true;
}

function addressed(path: string, { name: alias, version, ...rest }: LockedPackage): LockedPackage {
  const name =
    typeof alias === 'string'
      ? alias
      : path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const file = `${name.slice(name.lastIndexOf('/') + 1)}-${String(version)}.tgz`;
  const address = { resolved: `https://${HOST}/${name}/-/${file}` };
  // First for npm's order of the members, last to replace another address.
  return { ...(alias !== undefined && { name: alias }), version, ...address, ...rest, ...address };
}

if (import.meta.main) {
  for (const path of lockFiles()) {
    const file = join(ROOT, path);
    writeFileSync(file, withAddresses(readFileSync(file, 'utf8')));
  }
}
