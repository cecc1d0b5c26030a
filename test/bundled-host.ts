/**
 * Bundled hosts: programs that a suite starts many times, each as one file. A start takes a third of
 * the processor time that loading the sources does.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { isolatedFolder } from './isolated-folders.ts';

const CHECKPOINT_THREAD = fileURLToPath(
  new URL('../packages/store/src/sqlite/checkpoint-thread.ts', import.meta.url),
);

/**
 * Returns the path of the bundled program. It is bundled once per run of the tests, or once per folder of a
 * proof.
 */
export async function bundledHost(
  source: URL,
  folder: string = isolatedFolder('TRUECAST_TEST_TEMPLATES'),
): Promise<string> {
  const bundled = join(folder, basename(source.pathname, '.ts'));
  if (!existsSync(bundled)) await bundle(source, folder, bundled);
  return join(bundled, 'host.mjs');
}

async function bundle(source: URL, folder: string, bundled: string): Promise<void> {
  const partial = await mkdtemp(join(folder, 'bundling-'));
  await using bundling = await rolldown({
    // The store starts its thread from the folder that it was loaded from.
    input: { host: fileURLToPath(source), 'checkpoint-thread': CHECKPOINT_THREAD },
    platform: 'node',
    // Optional packages that are not installed.
    external: [/^node:/u, 'pg-native'],
    logLevel: 'warn',
  });
  await bundling.write({ dir: partial, format: 'esm', entryFileNames: '[name].mjs' });
  await rename(partial, bundled).catch(async (error: unknown) => {
    // Another worker was faster.
    if (!existsSync(bundled)) throw error;
    await rm(partial, { recursive: true });
  });
}
