/** Packed packages in a project's `node_modules`: unpacked there, or linked to a copy that all suites share. */
import { publishedFolders } from '../../scripts/published-manifest.ts';
import { sharedPackages, sharedTarballs } from './shared-build.ts';
import { linkPackages, unpackTarballs } from './unpack-tarballs.ts';

/** Folders of the published packages. */
export const PUBLISHED: readonly string[] = publishedFolders();

/** Unpacks all packages into `project`. Without the network: `npm install` has a test of its own. */
export async function unpackPackages(project: string): Promise<void> {
  await unpackTarballs(await sharedTarballs(), project);
}

/**
 * Links all packages into `project`. They are unpacked once per run, and so are compiled once: a
 * server that a suite starts reads its compiled code from Node's cache.
 */
export async function linkUnpackedPackages(project: string): Promise<void> {
  linkPackages(await sharedTarballs(), await sharedPackages(), project);
}
