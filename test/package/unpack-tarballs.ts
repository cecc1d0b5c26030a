/** Unpacks tarballs into a project's `node_modules`, with links to the packages that they depend on. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { publishedDependencies, publishedFolders } from '../../scripts/published-manifest.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The tarball's path of each package, by the package's name. */
export type Tarballs = Readonly<Record<string, string>>;

/** Unpacks all packages into `project`. Returns its `node_modules`. */
export async function unpackTarballs(tarballs: Tarballs, project: string): Promise<string> {
  const modules = join(project, 'node_modules');
  for (const [name, tarball] of Object.entries(tarballs)) {
    mkdirSync(join(modules, name), { recursive: true });
    await execa('tar', ['-xzf', tarball, '-C', join(modules, name), '--strip-components=1']);
  }
  for (const name of foreignPackages(tarballs)) link(join(ROOT, 'node_modules', name), join(modules, name));
  return modules;
}

/** Links to packages that are unpacked in `modules`, as a workspace has them. */
export function linkPackages(tarballs: Tarballs, modules: string, project: string): void {
  for (const name of [...Object.keys(tarballs), ...foreignPackages(tarballs)]) {
    link(join(modules, name), join(project, 'node_modules', name));
  }
}

function link(target: string, path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  symlinkSync(target, path);
}

/** Dependencies of the published packages that are not published with them. */
function foreignPackages(tarballs: Tarballs): ReadonlySet<string> {
  const needed = publishedFolders().flatMap((folder) => Object.keys(publishedDependencies(folder)));
  return new Set(needed.filter((name) => tarballs[name] === undefined));
}
