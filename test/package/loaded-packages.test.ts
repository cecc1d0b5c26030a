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

/** Packages of the command itself, however it is called. */
const ALWAYS = ['@truecast/core', 'commander', 'fast-string-truncated-width', 'truecast'];

it.each([
  ['runs list', ['@truecast/client']],
  ['token list', ['@truecast/server', '@truecast/store']],
])('`truecast %s` loads only %j besides the command', async (words, packages) => {
  const loaded = new Set((await loadedBy(words)).map(packageOf));
  expect([...loaded].filter((name) => !ALWAYS.includes(name)).sort()).toEqual(packages);
});

it.each(['data audit', 'data export someone'])(
  '`truecast %s` loads none of what only a server needs',
  async (words) => {
    const loaded = (await loadedBy(words)).map(packageOf);
    expect(loaded).toContain('@truecast/server');
    const heavy = ['hono', 'jose', 'kysely', 'pino', 'prom-client', 'yaml', 'zod'];
    expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
  },
);

it('the help of `truecast run` loads no schema engine', async () => {
  const loaded = await loadedBy('run --help');
  expect(loaded.map(packageOf)).toContain('@truecast/core');
  expect(loaded.filter((url) => url.endsWith('@truecast/core/dist/internal.mjs'))).toEqual([]);
});

it('`truecast serve` loads no parser, client or driver before a request or its settings need it', async () => {
  const files = await loadedBy('serve --port 0', /^docs: /mu);
  // Agents, sandboxes and `run()`.
  expect(files.filter((url) => url.endsWith('/truecast/dist/internal.mjs'))).toEqual([]);
  const loaded = files.map(packageOf);
  expect(loaded).toContain('hono');
  const heavy = ['@modelcontextprotocol/client', 'ai', 'jose', 'kysely', 'pg', 'pg-boss', 'yaml', 'zod'];
  expect(loaded.filter((name) => heavy.includes(name))).toEqual([]);
});

/**
 * Runs the command in an empty folder. Returns the files that it has loaded.
 *
 * @param ready - what a server prints before it is stopped
 */
async function loadedBy(words: string, ready?: RegExp): Promise<readonly string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-loaded-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const env = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    TRUECAST_LOADED_FILES: join(folder, 'loaded.json'),
  };
  const running = execa(process.execPath, ['--import', LIST, command, ...words.split(' ')], {
    cwd: folder,
    env,
    reject: false,
    all: true,
  });
  if (ready !== undefined) {
    for await (const line of running.iterable({ from: 'all' })) if (ready.test(line)) running.kill('SIGINT');
  }
  await running;
  const text = readFileSync(env.TRUECAST_LOADED_FILES, 'utf8');
  return z.array(z.string()).parse(JSON.parse(text));
}

/** The package of a file below `node_modules`. */
function packageOf(url: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(url)?.[1] ?? url;
}
