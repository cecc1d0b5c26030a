/** Counts what the built command loads. Most of a start's time is the loading of files. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { builtCommand } from './shared-build.ts';

const LIST = fileURLToPath(new URL('list-loaded-files.ts', import.meta.url));

let command: string;

// Builds, if no suite of the run has.
beforeAll(async () => {
  command = await builtCommand();
}, 240_000);

it.each([
  ['runs list', ['@truecast/client', '@truecast/core', 'commander', 'truecast']],
  [
    'token list',
    ['@truecast/core', '@truecast/server', '@truecast/store', 'commander', 'kysely', 'truecast'],
  ],
])('`truecast %s` loads files of these packages', async (words, packages) => {
  const own = new Set((await loadedBy(words)).map(packageOf));
  expect([...own].filter((name) => name !== 'fast-string-truncated-width').sort()).toEqual(packages);
});

it.each([
  ['data audit', ['hono', 'jose', 'pino', 'prom-client', 'yaml']],
  ['data export someone', ['hono', 'jose', 'pino', 'prom-client', 'yaml']],
])('`truecast %s` loads none of what only a server needs', async (words, heavy) => {
  const own = (await loadedBy(words)).map(packageOf);
  expect(own).toContain('@truecast/server');
  expect(own.filter((name) => heavy.includes(name))).toEqual([]);
});

/** Runs the command in an empty folder. Returns the files that it has loaded. */
async function loadedBy(words: string): Promise<readonly string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-loaded-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const env = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    TRUECAST_LOADED_FILES: join(folder, 'loaded.json'),
  };
  await execa(process.execPath, ['--import', LIST, command, ...words.split(' ')], {
    cwd: folder,
    env,
    reject: false,
  });
  const text = readFileSync(env.TRUECAST_LOADED_FILES, 'utf8');
  return z.array(z.string()).parse(JSON.parse(text));
}

/** The package of a file below `node_modules`. */
function packageOf(url: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(url)?.[1] ?? url;
}
