/** Packed packages, unpacked into a project's `node_modules` with links to the packages that they depend on. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { publishedDependencies, publishedFolders } from '../../scripts/published-manifest.ts';
import { sharedTarballs } from './shared-build.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of the published packages. */
export const PUBLISHED: readonly string[] = publishedFolders();

/** Unpacks all packages into `project`. Without the network: `npm install` has a test of its own. */
export async function unpackPackages(project: string): Promise<void> {
  const modules = join(project, 'node_modules');
  const tarballs = await sharedTarballs();
  for (const [name, tarball] of Object.entries(tarballs)) {
    mkdirSync(join(modules, name), { recursive: true });
    await execa('tar', ['-xzf', tarball, '-C', join(modules, name), '--strip-components=1']);
  }
  const foreign = PUBLISHED.flatMap((folder) => Object.keys(publishedDependencies(folder)));
  for (const name of new Set(foreign.filter((each) => tarballs[each] === undefined))) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
}
