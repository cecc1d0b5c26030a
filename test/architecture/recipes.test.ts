/** Checks the recipes for contributors: their paths exist, and each existing part has all of its files. */
import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { ACP_AGENTS, AGENTS, NPM_AGENTS } from '../../packages/truecast/src/agents/registry/agents.ts';
import * as face from '../../packages/truecast/src/index.ts';
import { SANDBOXES, SANDBOX_NAMES } from '../../packages/truecast/src/sandboxes/registry/sandboxes.ts';
import { serverConfigSchema } from '../../packages/server/src/config/server-config.ts';
import { DIALECTS } from '../../packages/core/src/schema/dialects/profiles/dialect-profile.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { isKindName } from '../../packages/core/src/output/definition/output-kinds.ts';
import { pathsOf, rowsOf, type RecipeRow } from './recipes.ts';
import { manifestOf, readSource } from './source-tree.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'docs/contributing';

/** An existing part for the placeholders of each recipe. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'adding-an-agent': 'codex',
  'adding-a-sandbox': 'vercel',
  'adding-a-provider': 'google',
  'adding-a-dialect': 'gemini',
  'adding-a-route': 'chat',
  'adding-a-keyword': 'number',
  'adding-an-output-kind': 'choice',
  'adding-a-flag': 'run',
  'adding-a-wire-field': 'kept-run',
  'adding-an-error-code': 'model',
  'adding-a-console-page': 'quality',
  'adding-a-migration': 'chats',
};

const fileOf = (recipe: string): string => `${FOLDER}/${recipe}.md`;
const fill = (path: string, name: string): string => path.replaceAll(/<(?:name|group)>/gu, name);
const camel = (name: string): string =>
  name.replaceAll(/-(\w)/gu, (_match, letter: string) => letter.toUpperCase());

/** True if the file exists and, unless the name is in its path, contains the part's name. */
function hasPart({ path }: RecipeRow, name: string): boolean {
  const file = fill(path, name);
  if (!existsSync(`${ROOT}${file}`)) return false;
  return (
    file !== path || new RegExp(`(?<![\\w-])(?:${name}|${camel(name)})(?!\\w)`, 'u').test(readSource(path))
  );
}

function missingOf(rows: readonly RecipeRow[], names: readonly string[]): readonly string[] {
  expect(rows).not.toEqual([]);
  expect(names).not.toEqual([]);
  return names.flatMap((name) =>
    rows.filter((row) => !hasPart(row, name)).map(({ path }) => `${name}: ${fill(path, name)}`),
  );
}

const everyRow = (recipe: string): readonly RecipeRow[] =>
  rowsOf(fileOf(recipe)).filter(({ section }) => /\bevery\b/u.test(section));
const rowsIf = (recipe: string, condition: string): readonly RecipeRow[] =>
  rowsOf(fileOf(recipe)).filter((row) => row.condition === condition);

const INDEX = `${FOLDER}/README.md`;
/** Pages that are no recipes. */
const OTHERS = [INDEX, `${FOLDER}/mutants.md`];

it('covers every recipe, and the index links each', () => {
  const recipes = Object.keys(EXAMPLES);
  expect(globSync(`${FOLDER}/*.md`, { cwd: ROOT }).sort()).toEqual(
    [...OTHERS, ...recipes.map(fileOf)].sort(),
  );
  const index = readSource(INDEX);
  expect(recipes.filter((recipe) => !index.includes(`(${recipe}.md)`))).toEqual([]);
  expect(readSource('CONTRIBUTING.md')).toContain(`(${INDEX})`);
});

it.each(Object.entries(EXAMPLES))('%s names only paths that exist', (recipe, name) => {
  const paths = pathsOf(fileOf(recipe));
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(`${ROOT}${fill(path, name)}`))).toEqual([]);
});

it('AGENTS.md names only paths that exist, in under 100 lines', () => {
  expect(readSource('AGENTS.md').split('\n').length).toBeLessThan(100);
  const paths = pathsOf('AGENTS.md');
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
});

it.each([...Object.keys(EXAMPLES).map(fileOf), 'AGENTS.md', 'CONTRIBUTING.md', 'VERSIONING.md'])(
  '%s names only scripts that exist',
  (file) => {
    const named = [...readSource(file).matchAll(/\bnpm run ([\w:]+)/gu)].map((match) => match[1] ?? '');
    expect(named).not.toEqual([]);
    expect(named.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
  },
);

describe('the registry', () => {
  it.each(Object.entries({ ...AGENTS, ...ACP_AGENTS }))('has all parts of the agent %s', (name, entry) => {
    const { factory, preset, make, hint, keys } = entry;
    expect(make()).toMatchObject({ name });
    expect(make('a-model')).toMatchObject({ name, model: 'a-model' });
    if (preset === undefined) expect(face).toHaveProperty(factory, make);
    else expect({ preset, factory }).toEqual({ preset: name, factory: 'acp' });
    expect(hint).not.toBe('');
    expect(keys).not.toEqual([]);
  });

  it.each(Object.entries(SANDBOXES))('has all parts of the sandbox %s', async (name, entry) => {
    const { factory, load, needs, container } = entry;
    expect(face).toHaveProperty(factory);
    const make = await load();
    expect(make({})).toMatchObject(name === 'none' ? { tag: 'none' } : { name, tag: 'bind-mount' });
    expect(container?.engine ?? name).toBe(name);
    const row = readSource('docs/sandboxes.md').match(new RegExp(`^\\| \`${factory}\\(\\)\` .*$`, 'mu'))?.[0];
    expect(row?.split('|')[3]).toContain(needs === undefined ? '' : `\`${needs}\``);
  });

  it('has the sandboxes that a server can be configured with', () => {
    const accepts = (sandbox: string): boolean =>
      serverConfigSchema.safeParse({ workspace: { sandbox } }).success;
    expect(SANDBOX_NAMES.filter((name) => !accepts(name))).toEqual([]);
    expect(accepts('vercel')).toBe(false);
  });
});

describe('a recipe', () => {
  it('of an agent has at most 8 files to write, besides the files of its capabilities', () => {
    const written = everyRow('adding-an-agent').filter(({ isGenerated }) => !isGenerated);
    expect(written.length).toBeLessThanOrEqual(8);
    expect(readSource('docs/contributing/adding-an-agent.md')).toContain(`${written.length} files to write`);
  });
});

/** Files to write for a usual change. The compiler, or a test that the page names, finds each of them. */
const MAX_FILES: Readonly<Record<string, number>> = {
  'adding-an-agent': 8,
  'adding-a-sandbox': 3,
  'adding-a-provider': 6,
  'adding-a-dialect': 3,
  'adding-a-keyword': 5,
  'adding-an-output-kind': 6,
  'adding-a-route': 4,
  'adding-a-flag': 2,
  'adding-a-wire-field': 4,
  'adding-a-console-page': 3,
  'adding-a-migration': 2,
  'adding-an-error-code': 2,
};

it.each(Object.entries(MAX_FILES))('%s has at most %i files to write, as the index says', (recipe, most) => {
  const written = rowsOf(fileOf(recipe)).filter(
    ({ section, isGenerated }) => !isGenerated && /\bevery\b|^Files to change$/u.test(section),
  );
  expect(written.length).toBeGreaterThan(1);
  expect(written.length).toBeLessThanOrEqual(most);
  expect(readSource(INDEX)).toContain(`](${recipe}.md) | ${written.length} |`);
});

it('a route with a new scope has one file more to write', () => {
  const rows = rowsIf('adding-a-route', 'it needs a new scope (an existing one is the line `scope:`)');
  expect(rows.filter(({ isGenerated }) => !isGenerated)).toHaveLength(1);
});

it('each flag of `run` sets something', () => {
  const flags = 'packages/cli/src/flags/run-flags.ts';
  const declared = /export interface RunFlags[^{]*\{(?<members>[^]*?)^\}/mu.exec(readSource(flags));
  const names = [...(declared?.groups?.['members'] ?? '').matchAll(/readonly (\w+)\??:/gu)];
  expect(names.length).toBeGreaterThan(15);
  const readers = globSync('packages/cli/src/{*,flags/*,action/*}.ts', { cwd: ROOT })
    .filter((path) => path !== flags && !path.includes('.test'))
    .map(readSource)
    .filter((text) => /\b\w*Flags\b/u.test(text))
    .map((text) => text.replaceAll(/\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'|readonly \w+\??:/gu, ''))
    .join('\n');
  expect(names.filter(([, name]) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'u').test(readers))).toEqual(
    [],
  );
});

describe('every file of its recipe exists', () => {
  it('for each kind of Output', () => {
    const kinds = Object.keys(Output).filter((name) => name !== 'instructions');
    expect(kinds.filter((kind) => !isKindName(kind))).toEqual([]);
    expect(missingOf(everyRow('adding-an-output-kind'), kinds)).toEqual([]);
    expect(kinds.filter((kind) => !readSource('docs/output.md').includes(`| \`Output.${kind}(`))).toEqual([]);
    const types = kinds.map((kind) => `type Output${kind[0]?.toUpperCase()}${kind.slice(1)}Definition`);
    for (const entry of ['truecast-core', 'truecast-output']) {
      const names = readSource(`test/package/public-names/${entry}.txt`).split('\n');
      expect(types.filter((name) => !names.includes(name))).toEqual([]);
    }
  });

  it('for each error class', () => {
    const classes = globSync('packages/core/src/errors/*-error.ts', { cwd: ROOT });
    const names = classes.map((path) => path.replaceAll(/^.*\/|-error\.ts$/gu, ''));
    const rows = everyRow('adding-an-error-code').filter(({ path }) => path.includes('<name>'));
    expect(missingOf(rows, names)).toEqual([]);
  });

  it('for each agent', () => {
    expect(missingOf(everyRow('adding-an-agent'), Object.keys(AGENTS))).toEqual([]);
    const installed = Object.keys(NPM_AGENTS);
    expect(missingOf(rowsIf('adding-an-agent', 'its CLI installs from npm'), installed)).toEqual([]);
  });

  it('for each sandbox', () => {
    const prefix = './sandboxes/';
    const subpaths = Object.keys(manifestOf('truecast').exports).filter((subpath) =>
      subpath.startsWith(prefix),
    );
    const sandboxes = subpaths.map((subpath) => subpath.slice(prefix.length));
    expect(missingOf(everyRow('adding-a-sandbox'), sandboxes)).toEqual([]);
    const local = SANDBOX_NAMES.filter((name) => name !== 'none');
    expect(missingOf(rowsIf('adding-a-sandbox', 'it is local'), local)).toEqual([]);
  });

  it('for each dialect', () => {
    // A dialect with the rules of another one has no file: Codex has those of OpenAI.
    const withFile = globSync('packages/core/src/schema/dialects/profiles/*-dialect.ts', { cwd: ROOT }).map(
      (path) => path.replaceAll(/^.*\/|-dialect\.ts$/gu, ''),
    );
    expect(DIALECTS).toEqual(expect.arrayContaining(withFile));
    const others = DIALECTS.filter((name) => !withFile.includes(name));
    const rows = everyRow('adding-a-dialect');
    expect(missingOf(rows, withFile)).toEqual([]);
    const lists = rows.filter(({ path }) => !path.includes('<name>'));
    expect(missingOf(lists, others)).toEqual([]);
  });
});
