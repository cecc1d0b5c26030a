/**
 * Published manifests: what a tarball's `package.json` says. Private workspaces are bundled into the
 * published packages, and their foreign dependencies and programs become those of the package.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT: string = join(import.meta.dirname, '..');

/** Private workspaces above published packages, and the packages whose tarballs carry them (ADR 0030). */
export const CARRIED_BY: Readonly<Record<string, readonly string[]>> = {
  cli: ['truecast'],
  testing: ['model', 'truecast'],
};

/** The fields of a workspace's manifest that packing needs. */
export interface WorkspaceManifest {
  readonly name: string;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly exports: unknown };
  readonly [field: string]: unknown;
}

/** The packages with their folders, as `packages/` lists them. */
export function packageFolders(): readonly string[] {
  return readdirSync(join(ROOT, 'packages')).sort();
}

/** Returns the manifest of a workspace, by its folder. */
export function readManifest(folder: string): WorkspaceManifest {
  const text = readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8');
  return JSON.parse(text) as WorkspaceManifest;
}

/** Folders of the packages that are published. */
export function publishedFolders(): readonly string[] {
  return packageFolders().filter((folder) => readManifest(folder).private !== true);
}

/** Folders of the private workspaces that a package's tarball carries. */
export function carriedBy(folder: string): readonly string[] {
  return Object.keys(CARRIED_BY).filter((carried) => CARRIED_BY[carried]?.includes(folder));
}

/** Returns the dependencies of an installed package. */
export function publishedDependencies(folder: string): Readonly<Record<string, string>> {
  const carried = carriedBy(folder).map((each) => readManifest(each).dependencies ?? {});
  // Our own packages that the command alone needs are loaded where a user has installed them.
  const foreign = carried.flatMap(Object.entries).filter(([name]) => !isOwn(name));
  const all = [...Object.entries(readManifest(folder).dependencies ?? {}), ...foreign];
  return Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function isOwn(name: string): boolean {
  return name === 'truecast' || name.startsWith('@truecast/');
}

/** The manifest as it is published: the exports of the build, without what only the workspace needs. */
export function publishedManifest(folder: string): object {
  const {
    publishConfig,
    scripts: _scripts,
    devDependencies: _development,
    ...published
  } = readManifest(folder);
  const bin = Object.assign({}, ...carriedBy(folder).map((each) => readManifest(each).bin)) as object;
  return {
    ...published,
    ...(Object.keys(bin).length > 0 && { bin }),
    dependencies: publishedDependencies(folder),
    exports: publishConfig?.exports,
    publishConfig: { access: 'public' },
  };
}
