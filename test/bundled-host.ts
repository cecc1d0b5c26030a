/**
 * Bundled hosts: programs that a suite starts many times, each as one file. A start takes a third of
 * the processor time that loading the sources does.
 */
import { copyFileSync, existsSync, globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isolatedFolder } from './isolated-folders.ts';
import { askForOffer, offerToWorkers } from './offers.ts';

const CHECKPOINT_THREAD = fileURLToPath(
  new URL('../packages/store/src/sqlite/checkpoint-thread.ts', import.meta.url),
);
/** The server of a run starts it from the folder that it was loaded from. It imports only Node modules. */
const BRIDGE = fileURLToPath(new URL('../packages/truecast/src/run/finalizer/bridge.ts', import.meta.url));

const ROOT = join(import.meta.dirname, '..');

/** Environment variable through which workers reach the process that runs the suites. */
const ADDRESS = 'TRUECAST_TEST_HOSTS';

/**
 * Offers the bundles to all workers. The bundler takes up to 300 MB, which a process keeps: each start of a
 * program from a worker would copy the tables of these pages.
 */
export async function setup(): Promise<(() => void) | undefined> {
  return offerToWorkers(ADDRESS, {
    '/': async (source) => bundle(source, isolatedFolder('TRUECAST_TEST_TEMPLATES')),
  });
}

/**
 * Returns the path of the bundled program. It is bundled once per run of the tests. Outside of them, it is
 * bundled once per folder of a proof.
 */
export async function bundledHost(source: URL, folder?: string): Promise<string> {
  const file = fileURLToPath(source);
  return folder === undefined || process.env[ADDRESS] !== undefined
    ? z.string().parse(await askForOffer(ADDRESS, `/?${encodeURIComponent(file)}`))
    : bundle(file, folder);
}

/** Programs of suites. A run of all suites asks for nearly each. */
function allHosts(): readonly string[] {
  const paths = globSync('test/*/**/*-host.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
  return paths.map((path) => join(ROOT, path));
}

let bundledAll: Promise<void> | undefined;

async function bundle(source: string, folder: string): Promise<string> {
  // One bundling of 44 hosts takes 4 s of processor time, 44 take 22 s. For a single file, one host is quicker.
  const isOfAll = process.env['TRUECAST_BUILT'] === 'true' && isHostOfSuite(source);
  const bundled = join(folder, isOfAll ? 'hosts' : nameOf(source));
  const host = join(bundled, `${nameOf(source)}.mjs`);
  if (isOfAll) await (bundledAll ??= write(allHosts(), bundled));
  else if (!existsSync(host)) await write([source], bundled);
  return host;
}

/** Returns true for what `allHosts()` contains. */
function isHostOfSuite(source: string): boolean {
  return /^test\/.+-host\.ts$/u.test(relative(ROOT, source));
}

/** Two rooms can have a host of one name. */
function nameOf(source: string): string {
  return relative(ROOT, source).replaceAll('/', '-').replace(/\.ts$/u, '');
}

async function write(sources: readonly string[], folder: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  await using bundling = await rolldown({
    // The store starts its thread from the folder that it was loaded from.
    input: {
      ...Object.fromEntries(sources.map((source) => [nameOf(source), source])),
      'checkpoint-thread': CHECKPOINT_THREAD,
    },
    platform: 'node',
    // Optional packages that are not installed.
    external: [/^node:/u, 'pg-native'],
    logLevel: 'warn',
  });
  await bundling.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  copyFileSync(BRIDGE, join(folder, 'bridge.ts'));
}
