/**
 * Pins the package's exports in one file of names per entry in `public-names/`. Adding a name is
 * deliberate (`vitest run test/package/public-names.test.ts -u`).
 */
import { readFileSync } from 'node:fs';
import * as sandcastle from '@ai-hero/sandcastle';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import * as root from '../../packages/truecast/src/index.ts';

/** The source file of each subpath. */
const SOURCES: Readonly<Record<string, string>> = {
  '.': 'index.ts',
  './output': 'exports/output.ts',
  './schema': 'exports/schema.ts',
  './agents': 'exports/agents.ts',
  './client': 'exports/client.ts',
  './ensemble': 'exports/ensemble.ts',
  './model': 'exports/model.ts',
  './sandboxes/bubblewrap': 'sandboxes/bubblewrap.ts',
  './sandboxes/daytona': 'sandboxes/daytona.ts',
  './sandboxes/docker': 'sandboxes/docker.ts',
  './sandboxes/no-sandbox': 'sandboxes/no-sandbox.ts',
  './sandboxes/podman': 'sandboxes/podman.ts',
  './sandboxes/vercel': 'sandboxes/vercel.ts',
  './server': 'exports/server.ts',
  './testing': 'exports/testing.ts',
};

/** Returns the names of types that a module exports, including re-exports. */
function exportedTypes(path: string): string[] {
  const text = readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8');
  const handedOn = [...text.matchAll(/^export type \{([^}]*)\}/gmu)].flatMap((match) =>
    (match[1] ?? '').split(',').map((name) => name.trim()),
  );
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gmu)].map((match) => match[1] ?? '');
  return [...handedOn, ...own].filter((name) => name !== '').sort();
}

it('has the subpaths and the command that are documented', () => {
  const entries = Object.keys(SOURCES).map((subpath) => {
    const name = subpath === '.' ? 'index' : subpath.slice(2);
    return [subpath, { types: `./dist/${name}.d.mts`, default: `./dist/${name}.mjs` }];
  });
  expect(packageJson.exports).toEqual({
    ...Object.fromEntries(entries),
    './package.json': './package.json',
  });
  expect(packageJson.bin).toEqual({ truecast: './dist/cli.mjs' });
});

describe.each(Object.entries(SOURCES))('the entry %s', (subpath, path) => {
  const file = subpath === '.' ? 'index' : subpath.slice(2).replace('/', '-');

  it('has these names', async () => {
    const module: object = await import(`../../src/${path}`);
    const values = Object.keys(module).sort();
    const lines = [...values, '', ...exportedTypes(path).map((name) => `type ${name}`), ''];
    await expect(lines.join('\n')).toMatchFileSnapshot(`public-names/${file}.txt`);
  });
});

it('has every value that sandcastle 0.12.0 exports', () => {
  expect(Object.keys(root)).toEqual(expect.arrayContaining(Object.keys(sandcastle)));
});
