/**
 * Tests that `truecast/output`, `truecast/schema`, `@truecast/client` and the event contract of
 * `@truecast/core`, as they are published, and the engine of `@truecast/ensemble` bundle for a browser
 * and stay small.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpackPackages } from './unpack-packages.ts';

const CASES = [
  // Raised only in the commit that needs it. The size is minified code, in bytes.
  { entry: 'truecast/output', names: ['*'], maxBytes: 68_600 },
  // The rest of the entry needs a server's runtime. A bundler drops unused exports.
  {
    entry: '@truecast/core',
    names: ['parseAgentOutput', 'eventSchema', 'jsonInstruction', 'stubEvent'],
    maxBytes: 24_500,
  },
  // 10,600 bytes of it read a growing answer for the elements of `ask()`, 200 check what lists say of failures,
  // 1,500 read the refused attempts, 11,100 are `client.runs`.
  { entry: '@truecast/client', names: ['*'], maxBytes: 94_800, maxGzipBytes: 31_800 },
  // Beside the client, whose code it shares. The AI SDK is imported for its types alone.
  { entry: '@truecast/client/ai-sdk', names: ['*'], maxBytes: 37_400, maxGzipBytes: 13_400 },
  {
    entry: '@truecast/client/react',
    names: ['*'],
    imports: ['react'],
    maxBytes: 60_000,
    maxGzipBytes: 25_000,
  },
  {
    entry: '@truecast/ensemble',
    // The build also opens stores, which need Node.
    source: '../../packages/ensemble/src/index.ts',
    names: ['createEnsemble', 'manifestAgent', 'stubProvider'],
    maxBytes: 79_000,
  },
  { entry: 'truecast/schema', names: ['*'], maxBytes: 134_400 },
] as const;

let project: string;

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-bundle-')));
  await unpackPackages(project);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe.each(CASES)('$entry', ({ entry, names, maxBytes, ...more }) => {
  it('bundles for a browser, with nothing left to import', async () => {
    const input = join(project, 'user.mjs');
    const from = 'source' in more ? fileURLToPath(new URL(more.source, import.meta.url)) : entry;
    const exported = names.map((name) => (name === '*' ? name : `{ ${name} }`));
    writeFileSync(input, exported.map((each) => `export ${each} from '${from}';`).join('\n'));
    const bundle = await rolldown({
      input,
      cwd: project,
      platform: 'browser',
      external: /^(?:node:|react$)/,
    });
    const { output } = await bundle.generate({ format: 'esm', minify: true });
    await bundle.close();
    const chunks = output.filter((file) => file.type === 'chunk');
    const code = chunks.map((chunk) => chunk.code).join('');
    expect(chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports])).toEqual(
      'imports' in more ? more.imports : [],
    );
    expect(chunks.flatMap((chunk) => chunk.exports)).toEqual(
      expect.arrayContaining(names.filter((name) => name !== '*')),
    );
    expect(code.length).toBeGreaterThan(5_000);
    expect(code).not.toMatch(/["'`]node:|\bprocess\.|\bBuffer\b/u);
    expect(new TextEncoder().encode(code).length).toBeLessThan(maxBytes);
    if ('maxGzipBytes' in more) expect(gzipSync(code).length).toBeLessThan(more.maxGzipBytes);
  });
});

it.each([
  ['react', true],
  ['index', false],
  ['ai-sdk', false],
])('the entry %s of the client is for client components of React: %s', (entry, isClient) => {
  const code = readFileSync(join(project, `node_modules/@truecast/client/dist/${entry}.mjs`), 'utf8');
  expect(/^(?:\/\/.*\n|\/\*[^*]*\*\/\s*)*["']use client["'];/u.test(code)).toBe(isClient);
});
