/** Checks the floors of the packages: no import leads up, whether static, dynamic or by a path. */
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CARRIED_BY } from '../../scripts/published-manifest.ts';
import {
  importsIn,
  importsOf,
  manifestOf,
  packageOf,
  PACKAGES,
  readSource,
  ROOT,
  sourceFiles,
} from './source-tree.ts';

/** The packages, the lowest floor first. A package imports only packages of lower floors. */
const FLOORS: readonly (readonly string[])[] = [
  ['core'],
  ['client', 'host'],
  ['model', 'store'],
  ['ensemble', 'truecast'],
  ['testing'],
  ['server'],
  ['cli'],
];

/** Files that load a module whose name is not in them, or that write a program which does. */
const UNNAMED: Readonly<Record<string, string>> = {
  'packages/cli/src/flags/import-module.ts': 'The user names the module.',
  'packages/truecast/src/agents/acp/bridge-program.ts': 'A program for the sandbox loads its own text.',
  'packages/truecast/src/agents/gemini-cli/gemini-cli-home.ts': 'A program for the sandbox, of Node modules.',
  'packages/truecast/src/run/escapes/file-escapes.ts': 'A program for the sandbox, of Node modules.',
};

const UNNAMED_IMPORT = /\b(?:import(?:\.meta\.resolve)?|require|createRequire)\((?!\s*'[^']+'\s*,?\s*\))/gu;

const files = sourceFiles();
/** Entries that a private workspace above a package writes, and that the package's tarball carries. */
const carried = globSync('packages/*/carried/*.ts', { cwd: ROOT }).sort();

function floorOf(folder: string): number {
  return FLOORS.findIndex((folders) => folders.includes(folder));
}

/** Returns the imports of a file that lead to its own floor or up, or into a package by a path. */
function wrongImports(path: string, text: string): readonly string[] {
  return importsIn(path, text)
    .filter(({ to, isOwn }) => isOwn && packageOf(to) !== packageOf(path))
    .filter(
      ({ to, specifier }) =>
        floorOf(packageOf(to)) >= floorOf(packageOf(path)) ||
        specifier.startsWith('.') ||
        carried.includes(to),
    )
    .map(({ specifier }) => `${path} -> ${specifier}`);
}

/** Returns the dynamic imports that do not name their module. */
function unnamedImports(text: string): number {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/^\s*\/\/.*$/gmu, '');
  return [...code.matchAll(UNNAMED_IMPORT)].length;
}

describe('the floors of the packages', () => {
  it('list every workspace once', () => {
    expect(FLOORS.flat().sort()).toEqual([...PACKAGES].sort());
  });

  it('are imported only downwards, and by their names', () => {
    expect(files.flatMap((path) => wrongImports(path, readSource(path)))).toEqual([]);
  });

  it('have no import that hides its module', () => {
    const found = files.filter((path) => unnamedImports(readSource(path)) > 0);
    expect(found).toEqual(Object.keys(UNNAMED));
  });

  it.each([
    ['truecast/src/run/run.ts', `import { main } from '@truecast/cli/internal/main';`],
    ['truecast/src/run/run.ts', `const { main } = await import('@truecast/cli/internal/main');`],
    ['truecast/src/run/run.ts', `type Main = typeof import('@truecast/cli/internal/main');`],
    ['truecast/src/run/run.ts', `export { reply } from '@truecast/testing/internal/scripted-model/reply';`],
    ['truecast/src/run/run.ts', `import { main } from '../../../cli/src/main.ts';`],
    ['server/src/index.ts', `import { main } from '@truecast/cli/internal/main';`],
    ['server/src/index.ts', `import { run } from '../../truecast/src/run/run.ts';`],
    ['server/src/index.ts', `import { reply } from '@truecast/model/testing';`],
    ['model/src/index.ts', `import { Store } from '@truecast/store';`],
  ])('refuse in %s: %s', (path, text) => {
    expect(wrongImports(`packages/${path}`, text)).toHaveLength(1);
  });

  it('refuse a dynamic import of a computed name', () => {
    expect(unnamedImports("await import(`@truecast/${'cli'}`);")).toBe(1);
    expect(unnamedImports("const name = 'x';\nawait import(name);")).toBe(1);
    expect(unnamedImports("createRequire(import.meta.url)('x');")).toBe(1);
    expect(unnamedImports("await import('@truecast/server');\nawait import(\n  'a',\n);")).toBe(0);
  });

  it.each(PACKAGES)('%s lists in its manifest only packages of lower floors', (folder) => {
    const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = manifestOf(folder);
    const names = new Map(PACKAGES.map((each) => [manifestOf(each).name, each]));
    const own = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }).flatMap(
      (name) => names.get(name) ?? [],
    );
    expect(own.filter((each) => floorOf(each) >= floorOf(folder))).toEqual([]);
  });
});

describe('the entries that a tarball carries for a workspace above', () => {
  it('only name what that workspace exports', () => {
    expect(carried).toEqual(['packages/model/carried/testing.ts', 'packages/truecast/carried/testing.ts']);
    for (const path of carried) {
      const workspaces = new Set(importsOf(path).map(({ to }) => packageOf(to)));
      for (const each of workspaces) expect(CARRIED_BY[each], path).toContain(packageOf(path));
      const code = readSource(path).replaceAll(/\/\*[\s\S]*?\*\//gu, '');
      expect(code.replaceAll(/^export (?:type )?\{[^}]*\} from '[^']+';$/gmu, '').trim(), path).toBe('');
    }
  });

  it('have each name of the scripted model that a published package imports', () => {
    const entry = new Set(namesFrom('packages/model/carried/testing.ts', /^export/u));
    const used = files
      .filter((path) => packageOf(path) !== 'testing')
      .flatMap((path) => namesFrom(path, /^import/u));
    expect(used.length).toBeGreaterThan(4);
    expect(used.filter((name) => !entry.has(name))).toEqual([]);
  });
});

/** Returns the names that statements of a file take from the scripted model. */
function namesFrom(path: string, beginning: RegExp): readonly string[] {
  const statements = readSource(path).matchAll(
    /^(?:import|export) (?:type )?\{([^}]*)\} from '@truecast\/testing\/internal\/scripted-model\/[^']+';/gmu,
  );
  return [...statements]
    .filter(([statement]) => beginning.test(statement))
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().replace(/^type /u, ''))
    .filter((name) => name !== '');
}
