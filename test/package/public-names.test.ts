/**
 * Pins the package's exports in one file of names per entry in `public-names/`. Adding a name is
 * deliberate (`vitest run test/package/public-names.test.ts -u`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as sandcastle from '@ai-hero/sandcastle';
import { describe, expect, it } from 'vitest';
import * as root from '../../packages/truecast/src/index.ts';
import { manifestOf } from '../architecture/source-tree.ts';
import { PUBLISHED } from './unpack-packages.ts';

/** The source file of each public entry. */
const SOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  PUBLISHED.flatMap((folder) => {
    const { name, exports } = manifestOf(folder);
    return Object.entries(exports)
      .filter(([subpath]) => !/^\.\/(?:internal|package\.json)/u.test(subpath))
      .map(([subpath, source]) => [join(name, subpath), join('packages', folder, source)] as const);
  }),
);

/** Returns the names of types that a module exports, including re-exports. */
function exportedTypes(path: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const handedOn = [...text.matchAll(/^export type \{([^}]*)\}/gmu)].flatMap((match) =>
    (match[1] ?? '').split(',').map((name) => name.trim()),
  );
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gmu)].map((match) => match[1] ?? '');
  return [...handedOn, ...own].filter((name) => name !== '').sort();
}

it.each(PUBLISHED)('%s publishes the build of each entry', (folder) => {
  const { exports, publishConfig } = manifestOf(folder);
  const built = Object.keys(exports).map((subpath) => {
    if (subpath === './package.json') return [subpath, './package.json'];
    const name = subpath === '.' ? 'index' : subpath.slice(2).replace('/*', '');
    const types = `./dist/${name}.d.mts`;
    return [subpath.replace('/*', ''), { types, default: `./dist/${name}.mjs` }];
  });
  expect(publishConfig?.exports).toEqual(Object.fromEntries(built));
});

it('has the command', () => {
  expect(manifestOf('truecast').bin).toEqual({ truecast: './dist/cli.mjs' });
});

describe.each(Object.entries(SOURCES))('the entry %s', (specifier, path) => {
  const file = specifier.replace('@', '').replaceAll('/', '-');

  it('has these names', async () => {
    const module: object = await import(`../../${path}`);
    const values = Object.keys(module).sort();
    const lines = [...values, '', ...exportedTypes(path).map((name) => `type ${name}`), ''];
    await expect(lines.join('\n')).toMatchFileSnapshot(`public-names/${file}.txt`);
  });
});

/** Names in the export lists of the published declarations of sandcastle. */
function sandcastleNames(): string[] {
  const text = readFileSync(
    new URL('../../node_modules/@ai-hero/sandcastle/dist/index.d.ts', import.meta.url),
    'utf8',
  );
  return [...text.matchAll(/^export \{([^}]*)\}/gmu)]
    .flatMap((match) => (match[1] ?? '').split(','))
    .map((name) => name.trim().replace(/^type |^\w+ as /gu, ''))
    .map((name) => name.replace(/^.* as /u, ''))
    .sort();
}

it('has every name that sandcastle 0.12.0 exports, values and types', () => {
  const names = sandcastleNames();
  expect(names).toHaveLength(84);
  expect(Object.keys(root)).toEqual(expect.arrayContaining(Object.keys(sandcastle)));
  const ours = [...Object.keys(root), ...exportedTypes('packages/truecast/src/index.ts')];
  expect(names.filter((name) => !ours.includes(name))).toEqual([]);
});
