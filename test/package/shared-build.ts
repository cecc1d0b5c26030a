/** Shared build: all packages, built once for all suites of a run, as tarballs and as the command. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { z } from 'zod';
import { packPackages, stagePackages } from '../../scripts/pack.ts';
import { askForOffer, lazy, offerToWorkers } from '../offers.ts';
import { unpackTarballs, type Tarballs } from './unpack-tarballs.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCE = join(ROOT, 'packages/cli/src/start.ts');
/** Environment variable through which workers reach the process that runs the suites. */
const ADDRESS = 'TRUECAST_TEST_BUILD';

/** Offers the build to all workers, and removes its copies after the last suite. */
export async function setup(): Promise<() => void> {
  const tarballs = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-tarballs-')));
  // Within the workspace: the staged packages find their dependencies in its `node_modules`.
  const installed = join(ROOT, 'node_modules/.cache', `truecast-installed-${process.pid}`);
  const build = lazy(buildAll);
  const pack = lazy(async () => {
    await build();
    return packPackages(tarballs);
  });
  // Once for a run: two builds at once would remove each other's files.
  const stop = await offerToWorkers(ADDRESS, {
    '/tarballs': pack,
    '/packages': async () => unpackTarballs(await pack(), join(tarballs, 'unpacked')),
    '/command': async () => {
      await build();
      stagePackages(join(installed, 'node_modules'));
      return join(installed, 'node_modules/truecast/dist/cli.mjs');
    },
  });
  return () => {
    stop?.();
    for (const folder of [tarballs, installed]) rmSync(folder, { recursive: true, force: true });
  };
}

async function buildAll(): Promise<void> {
  // `npm run test:all` builds before it starts the suites.
  if (process.env['TRUECAST_BUILT'] === 'true') return;
  await execa('tsdown', [], { cwd: ROOT, preferLocal: true });
  await execa('vite', ['build', 'web'], { cwd: ROOT, preferLocal: true });
}

/** Returns the tarballs. The first call builds and packs. */
export async function sharedTarballs(): Promise<Tarballs> {
  return z.record(z.string(), z.string()).parse(await askForOffer(ADDRESS, '/tarballs'));
}

/** Returns a `node_modules` with all packages, unpacked. Only for suites that leave it as it is. */
export async function sharedPackages(): Promise<string> {
  return z.string().parse(await askForOffer(ADDRESS, '/packages'));
}

/**
 * Returns the main file of the `truecast` command. In `npm test` it is the built one, which starts in
 * half of the processor time. For a single file it is the source, which needs no build.
 */
export async function commandFile(): Promise<string> {
  return process.env['TRUECAST_COMMAND'] === 'built' ? builtCommand() : SOURCE;
}

/** Returns the main file of the built command. The first call builds. */
export async function builtCommand(): Promise<string> {
  return z.string().parse(await askForOffer(ADDRESS, '/command'));
}
