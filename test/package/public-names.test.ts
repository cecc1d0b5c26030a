/**
 * Pins the package's exports in one file of names per entry in `public-names/`. Adding a name is
 * deliberate (`vitest run test/package/public-names.test.ts -u`).
 */
import { describe, expect, it } from 'vitest';
import { manifestOf } from '../architecture/source-tree.ts';
import { exportedTypes, exportedValues, SOURCES } from './public-entries.ts';
import { PUBLISHED } from './unpack-packages.ts';

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
  expect(manifestOf('cli').bin).toEqual({ truecast: './dist/cli.mjs' });
});

describe.each(Object.entries(SOURCES))('the entry %s', (specifier, path) => {
  const file = specifier.replace('@', '').replaceAll('/', '-');

  it('has these names', async () => {
    const values = await exportedValues(path);
    const lines = [...values, '', ...exportedTypes(path).map((name) => `type ${name}`), ''];
    await expect(lines.join('\n')).toMatchFileSnapshot(`public-names/${file}.txt`);
  });
});
