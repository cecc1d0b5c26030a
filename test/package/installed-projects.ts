/** Installed projects: each has one of our packages alone, as `npm install` of its tarball leaves it. */
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { manifestOf } from '../architecture/source-tree.ts';
import { FORM } from '../matrix.ts';
import type { Tarballs } from './unpack-tarballs.ts';

/** A project, and the path of each installed package in it. */
export interface InstalledProject {
  readonly project: string;
  readonly packages: readonly string[];
}

const namesSchema = z.record(z.string(), z.unknown()).default({});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dependencies: namesSchema,
      optionalDependencies: namesSchema,
      peerDependencies: namesSchema,
      peerDependenciesMeta: z
        .record(z.string(), z.looseObject({ optional: z.boolean().optional() }))
        .default({}),
    }),
  ),
});
type Packages = z.infer<typeof lockSchema>['packages'];

/**
 * Returns a function that installs a package in a project of its own below `folder`, once. The whole form
 * starts npm for each. The short form copies a package and what it needs from `together`, a project that has all.
 */
export function installsAlone(
  folder: string,
  tarballs: Tarballs,
  together: string,
): (name: string) => Promise<InstalledProject> {
  const installed = new Map<string, Promise<InstalledProject>>();
  const install = async (name: string): Promise<InstalledProject> => {
    const project = join(folder, name);
    if (FORM === 'whole') {
      await startNpm(project, filesOf(name, tarballs));
      return { project, packages: Object.keys(readPackages(project)) };
    }
    return { project, packages: copyNeeded(together, project, manifestOf(name).name) };
  };
  return (name) => {
    const project = installed.get(name) ?? install(name);
    installed.set(name, project);
    return project;
  };
}

/** Installs tarballs in a new project. */
async function startNpm(project: string, files: readonly string[]): Promise<void> {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--silent'];
  await execa('npm', ['install', ...quiet, ...files], { cwd: project });
}

/** Ours are on no registry yet: their tarballs are installed with a package. */
function filesOf(folderName: string, tarballs: Tarballs): readonly string[] {
  const { name, dependencies = {} } = manifestOf(folderName);
  const own = Object.keys(dependencies).filter((each) => tarballs[each] !== undefined);
  const others = own.flatMap((each) => filesOf(each.replace('@truecast/', ''), tarballs));
  return [...new Set([tarballs[name] ?? '', ...others])];
}

function readPackages(project: string): Packages {
  const text = readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8');
  return lockSchema.parse(JSON.parse(text)).packages;
}

/** Copies a package and all that it needs to a new project. Returns their paths. */
function copyNeeded(from: string, project: string, name: string): readonly string[] {
  const paths = neededPaths(readPackages(from), name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  for (const path of paths) {
    const source = join(from, path);
    const inner = join(source, 'node_modules');
    cpSync(source, join(project, path), { recursive: true, filter: (each) => !each.startsWith(inner) });
  }
  const programs = 'node_modules/.bin';
  cpSync(join(from, programs), join(project, programs), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (each) => basename(each) === '.bin' || existsSync(join(project, programs, readlinkSync(each))),
  });
  return paths;
}

/** Where Node finds a package and, in turn, each that npm installs with it: no optional peer. */
function neededPaths(packages: Packages, name: string): readonly string[] {
  const paths = new Set<string>();
  const add = (from: string, wanted: string): void => {
    const path = placeOf(packages, from, wanted);
    const found = packages[path ?? ''];
    if (path === undefined || found === undefined || paths.has(path)) return;
    paths.add(path);
    const peers = Object.keys(found.peerDependencies).filter(
      (peer) => found.peerDependenciesMeta[peer]?.optional !== true,
    );
    const others = [found.dependencies, found.optionalDependencies].flatMap((each) => Object.keys(each));
    for (const each of [...others, ...peers]) add(path, each);
  };
  add('', name);
  return [...paths];
}

/** Path of the package `name` for a module in the package at `from`: the nearest `node_modules` that has it. */
function placeOf(packages: Packages, from: string, name: string): string | undefined {
  const path = join(from, 'node_modules', name);
  if (packages[path] !== undefined) return path;
  if (from === '') return undefined;
  return placeOf(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}
