/**
 * Packs every published package: `npm run pack -- FOLDER` builds, then writes one tarball per package.
 * The manifests of the workspaces name sources; those in the tarballs name the build.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publishedFolders, publishedManifest, readManifest } from './published-manifest.ts';

const ROOT: string = join(import.meta.dirname, '..');

/** Files of the root that tarballs carry. */
const SHARED = ['LICENSE'];
const OF_TRUECAST = ['README.md', 'CHANGELOG.md', 'CONTEXT.md', 'docs'];
/** Recipes for contributors name files that no tarball has. Replaced decisions are of no use to a user. */
const LEFT_OUT = ['docs/contributing', 'docs/adr/archive'];
/** Screenshots weigh 100 kB each, and the pages in a package are read as text. */
const SCREENSHOT = /\/docs\/images\/[^/]+\.png$/u;

/** Packs the built packages into `destination`. Returns the tarball's path of each package. */
export function packPackages(destination: string): Readonly<Record<string, string>> {
  mkdirSync(destination, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'truecast-pack-'));
  try {
    const names = stagePackages(staging);
    // All in one process: npm starts for longer than it packs.
    const quiet = ['pack', '--ignore-scripts', '--silent', '--pack-destination', resolve(destination)];
    execFileSync('npm', [...quiet, ...names.map((name) => `./${name}`)], { cwd: staging });
    return Object.fromEntries(names.map((name) => [name, tarballOf(join(staging, name), destination)]));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Copies what the tarballs of the built packages contain into `<destination>/<package name>`, and
 * returns the names.
 */
export function stagePackages(destination: string): readonly string[] {
  return publishedFolders().map((folder) => {
    const { name } = readManifest(folder);
    stage(folder, join(destination, name));
    return name;
  });
}

function stage(folder: string, target: string): void {
  const source = join(ROOT, 'packages', folder);
  const manifest = readManifest(folder);
  mkdirSync(target, { recursive: true });
  for (const name of manifest.files ?? []) {
    if (!existsSync(join(source, name)) && !existsSync(join(ROOT, name))) {
      throw new Error(`${folder} has no \`${name}\`. Run \`npm run build\`.`);
    }
  }
  for (const name of ['README.md', ...(manifest.files ?? [])]) {
    if (existsSync(join(source, name))) copy(join(source, name), join(target, name));
  }
  for (const name of [...SHARED, ...(folder === 'truecast' ? OF_TRUECAST : [])]) {
    copy(join(ROOT, name), join(target, name));
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(folder), undefined, 2)}\n`);
}

/** Copies without caches: a type check of the templates writes one beside them. */
function copy(from: string, to: string): void {
  const isLeftOut = (path: string): boolean =>
    LEFT_OUT.some((name) => path.startsWith(join(ROOT, name))) ||
    SCREENSHOT.test(path) ||
    path.includes('/node_modules/.cache');
  cpSync(from, to, { recursive: true, filter: (path) => !isLeftOut(path) });
}

/** Returns the path to which npm packs a folder. */
function tarballOf(folder: string, destination: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return resolve(destination, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

if (import.meta.main) {
  const destination = process.argv[2] ?? 'dist';
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: ['ignore', process.stderr, 'inherit'] });
  for (const path of Object.values(packPackages(destination))) process.stdout.write(`${path}\n`);
}
