/** Checks the floors of the console: its folders import downwards, and its names are not those of packages. */
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { importsOf, readSource, sourceFiles } from './source-tree.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Folders, the lowest floor first. A folder imports only from lower floors. */
const FLOORS: readonly (readonly string[])[] = [
  ['json', 'parts/code'],
  ['parts', 'typescript'],
  ['parts/list'],
  ['changes', 'session', 'markdown', 'schema', 'value'],
  ['connect'],
  ['live', 'question', 'receipts', 'reference', 'runs/model', 'settings', 'stage'],
  ['quality', 'runs/durable', 'runs/list'],
  // A call of a chat shows its durable run.
  ['chat/transcript'],
  ['chat'],
  ['ask', 'pages', 'runs'],
  ['schemas', 'compare'],
  ['app'],
  ['.'],
];

const SOURCES = 'web/src';
const files = globSync(`${SOURCES}/**/*.{ts,tsx}`, { cwd: ROOT });
const folderOf = (path: string): string => {
  const folder = dirname(path);
  return folder === SOURCES ? '.' : folder.slice(`${SOURCES}/`.length);
};

it('has each folder on a floor, and no import from the same floor or above, also none by import()', () => {
  const floorOf = (path: string): number => FLOORS.findIndex((names) => names.includes(folderOf(path)));
  expect(files.filter((path) => floorOf(path) === -1)).toEqual([]);
  const imports = files.flatMap(importsOf).filter(({ to }) => files.includes(to));
  expect(imports.length).toBeGreaterThan(300);
  const offenders = imports
    .filter(({ from, to }) => folderOf(from) !== folderOf(to) && floorOf(from) <= floorOf(to))
    .map(({ from, to }) => `${from} -> ${to}`);
  expect(offenders).toEqual([]);
});

/** The ceiling of the packages' folders. */
const MAX_FILES = 20;

it(`has at most ${MAX_FILES} files in a folder`, () => {
  const counts = Map.groupBy(files, folderOf);
  expect([...counts].filter(([, paths]) => paths.length > MAX_FILES).map(([folder]) => folder)).toEqual([]);
});

it('has no name that a package exports', () => {
  const namesOf = (path: string): readonly string[] =>
    [...readSource(path).matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gmu)].map(
      (match) => match[1] ?? '',
    );
  const sources = sourceFiles().filter((path) => !/\/test-[^/]+$/u.test(path));
  const packages = new Set(sources.flatMap(namesOf));
  expect(packages.size).toBeGreaterThan(2_000);
  expect(files.flatMap(namesOf).filter((name) => packages.has(name))).toEqual([]);
});
