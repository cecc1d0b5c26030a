/**
 * Context of the container image: `npm run image -- [FOLDER]` packs the packages, installs them with their
 * production dependencies, and builds `containers/Containerfile` with Docker or Podman.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packPackages } from './pack.ts';

const ROOT: string = join(import.meta.dirname, '..');
const CONTAINERS: string = join(ROOT, 'containers');

/** Name of the image that `containers/compose.yaml` starts. */
const IMAGE = 'localhost/truecast:latest';

/** The file of the image. */
export const CONTAINERFILE: string = join(CONTAINERS, 'Containerfile');

/**
 * Writes the contents of the image into `folder`.
 *
 * @param tarballs - paths of the packed packages
 */
export function writeImageContext(folder: string, tarballs: readonly string[]): void {
  const app = join(folder, 'app');
  for (const name of [app, join(folder, 'data')]) {
    rmSync(name, { recursive: true, force: true });
    mkdirSync(name, { recursive: true });
  }
  writeFileSync(join(app, 'package.json'), '{"name":"truecast-image","version":"0.0.0","private":true}');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--silent'];
  npm(app, ['install', '--omit=dev', ...quiet, ...tarballs.map((path) => resolve(path))]);
  writeFileSync(join(app, 'sbom.cdx.json'), npm(app, ['sbom', '--omit=dev', '--sbom-format', 'cyclonedx']));
  copyFileSync(join(CONTAINERS, 'health.mjs'), join(app, 'health.mjs'));
}

function npm(cwd: string, args: readonly string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

function main(): void {
  const folder = process.argv[2] ?? join(CONTAINERS, 'context');
  execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'inherit' });
  writeImageContext(folder, Object.values(packPackages(join(folder, 'tarballs'))));
  rmSync(join(folder, 'tarballs'), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const args = [
    'build',
    '--file',
    CONTAINERFILE,
    '--build-arg',
    `VERSION=${version}`,
    '--tag',
    IMAGE,
    folder,
  ];
  const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (engine === undefined) {
    process.stdout.write(`No Docker and no Podman. The context is in ${folder}: docker ${args.join(' ')}\n`);
    return;
  }
  execFileSync(engine, args, { stdio: 'inherit' });
}

if (import.meta.main) main();
