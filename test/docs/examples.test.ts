/**
 * Checks that every public value has a documented example, and that every example, including those
 * in README and `docs/`, compiles.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { sharedPackages } from '../package/shared-build.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENTRIES = [
  'packages/core/src/index.ts',
  'packages/truecast/src/index.ts',
  'packages/truecast/src/exports/providers.ts',
  'packages/truecast/src/exports/sandcastle.ts',
  'packages/truecast/src/exports/schema.ts',
  'packages/client/src/index.ts',
  'packages/client/src/exports/ai-sdk.ts',
  'packages/client/src/exports/react.ts',
  'packages/ensemble/src/index.ts',
  'packages/model/src/index.ts',
  'packages/model/carried/testing.ts',
  'packages/server/src/index.ts',
  'packages/store/src/index.ts',
  'packages/truecast/carried/testing.ts',
];

interface PublicValue {
  /** The first entry that exports it. */
  readonly entry: string;
  readonly name: string;
  /** Name in its file. The ported entry renames its values. */
  readonly declared: string;
  readonly path: string;
}

/** The file of an import in an entry. Undefined for another entry, which lists its values itself. */
function sourceOf(entry: string, specifier: string): string | undefined {
  const internal = /^@truecast\/(core|testing)\/internal\/(.+)$/u.exec(specifier);
  if (internal !== null) return `packages/${internal[1]}/src/${internal[2]}.ts`;
  return specifier.startsWith('.') ? join(entry, '..', specifier) : undefined;
}

/** The values that the entries export, and each one's file. */
function publicValues(): PublicValue[] {
  const all = ENTRIES.flatMap((entry) => {
    const text = readFileSync(join(ROOT, entry), 'utf8');
    return [...text.matchAll(/^export \{([^}]*)\} from '([^']+)';/gmu)].flatMap((match) =>
      (match[1] ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && sourceOf(entry, match[2] ?? '') !== undefined)
        .map((name) => {
          const [declared = '', exported = declared] = name.split(' as ');
          return { entry, name: exported, declared, path: sourceOf(entry, match[2] ?? '') ?? '' };
        }),
    );
  });
  return [
    ...new Map(all.toReversed().map((value) => [`${value.path} ${value.name}`, value])).values(),
  ].toReversed();
}

/** Returns the code of the example in a value's docstring. */
function exampleOf({ declared, path }: PublicValue): string | undefined {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const declaration = new RegExp(
    `^export (?:abstract )?(?:async )?(?:function|const|class) ${declared}\\b`,
    'mu',
  ).exec(text);
  const before = text.slice(0, declaration?.index ?? 0).trimEnd();
  const docstring = before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
  const example = /@example\s*\n\s*\* ```ts\n([\s\S]*?)\n\s*\* ```/u.exec(docstring)?.[1];
  return example?.replaceAll(/^\s*\* ?/gmu, '');
}

/** Names that the reader of a page supplies. */
const READER_NAMES = 'agent cast complete countOf manifest prompt provider sandbox scenario triage'.split(
  ' ',
);

/** Returns the TypeScript blocks of README and of the pages in `docs/`, by file name. */
function pageExamples(): [name: string, code: string][] {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const packages = globSync('packages/*/README.md', { cwd: ROOT });
  return ['README.md', ...packages, ...pages.map((name) => join('docs', name))].flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```ts(x?)(?: run[a-z ]*)?\n([\s\S]*?)^```/gmu)].map(
      ([, x = '', code = ''], index): [string, string] => [
        `${path.replaceAll(/\W+/gu, '-')}-${index}.ts${x}`,
        code,
      ],
    ),
  );
}

const values = publicValues();

function valuesOf(entryEnd: string): PublicValue[] {
  return values.filter(({ entry }) => entry.endsWith(entryEnd));
}

function without(some: readonly PublicValue[], others: readonly PublicValue[]): PublicValue[] {
  return some.filter(({ name }) => !others.some((other) => other.name === name));
}

/** Declares every public name, and the names that examples can use without declaring them. */
function asModule(example: string, entry?: string): string {
  const events = values.filter(({ path }) => path.startsWith('packages/ensemble/src'));
  const stores = values.filter(({ path }) => path.startsWith('packages/store/src'));
  const schemas = valuesOf('/exports/schema.ts');
  const inCore = valuesOf('packages/core/src/index.ts');
  const models = values.filter(({ path }) => path.startsWith('packages/model/src/'));
  const atRoot = valuesOf('/truecast/src/index.ts');
  const own = valuesOf('/providers.ts');
  const inPorted = valuesOf('/sandcastle.ts');
  // A value of the ported entry has the name of the one at the root.
  const [roots, cores, ported] =
    entry?.endsWith('/sandcastle.ts') === true
      ? [without(atRoot, inPorted), without(inCore, inPorted), inPorted]
      : [atRoot, inCore, without(inPorted, [...atRoot, ...inCore])];
  // Both a server and a client have a `tool()`.
  const isServer = example.includes('createChatServer(');
  const serving = values.filter(
    ({ path, name }) => path.startsWith('packages/server/src') && (isServer || name !== 'tool'),
  );
  const pages = values.filter(({ path }) => path.startsWith('packages/client/src/ai-sdk/'));
  const hooks = values.filter(({ path }) => path.startsWith('packages/client/src/react/'));
  const clients = values.filter(
    ({ path, name }) => /^packages\/client\/src\/[^/]+$/u.test(path) && !(isServer && name === 'tool'),
  );
  const fakes = values.filter(({ path }) => path.startsWith('packages/testing/'));
  const names = (list: readonly PublicValue[]): string =>
    [...new Set(list.map(({ name }) => name))].join(', ');
  return `import { z } from 'zod';
import { ${names(roots)}, type RunOptions } from 'truecast';
import { ${names(own)} } from 'truecast/providers';
import { ${names(ported)} } from 'truecast/sandcastle';
import { ${names(cores)} } from '@truecast/core';
import { ${names(schemas)} } from 'truecast/schema';
import { ${names(models)} } from '@truecast/model';
import { ${names(stores)} } from '@truecast/store';
import { ${names(events)} } from '@truecast/ensemble';
import { ${names(serving)} } from '@truecast/server';
import { ${names(clients)} } from '@truecast/client';
import { ${names(pages)} } from '@truecast/client/ai-sdk';
import { ${names(hooks)} } from '@truecast/client/react';
import { createElement } from 'react';
import { ${names(fakes)}, type ModelScript } from 'truecast/testing';
export type Used = ModelScript;
import { describe, it } from 'node:test';
declare const error: unknown;
declare const text: string;
declare const options: RunOptions;
export async function example(): Promise<void> {
${example}
}
export const used: unknown = [z, createElement, error, text, options, describe, it, ${[...new Set(values.map(({ name }) => name))].join(', ')}];
`;
}

describe('the example of', () => {
  it.each(values)('$name stands in its docstring', (value) => {
    expect(exampleOf(value), `${value.name} in ${value.path} has no @example`).toBeTypeOf('string');
  });
});

it('compiles every example', { timeout: 240_000 }, async () => {
  const folder = join(ROOT, 'node_modules', '.cache', 'truecast-examples');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // In `npm test` they are checked against the declarations that users install. Those are read, not
  // checked again: an eighth of the processor time that all sources take.
  if (process.env['TRUECAST_COMMAND'] === 'built') {
    symlinkSync(await sharedPackages(), join(folder, 'node_modules'));
  }
  for (const value of values) {
    const example = exampleOf(value);
    if (example !== undefined) {
      writeFileSync(
        join(folder, `${value.path.replaceAll(/\W+/gu, '-')}-${value.name}.ts`),
        asModule(example, value.entry),
      );
    }
  }
  for (const [name, code] of pageExamples()) {
    writeFileSync(join(folder, name), code.startsWith('import ') ? code : asModule(code));
  }
  const names = READER_NAMES.map((name) => `declare var ${name}: any;\n`).join('');
  // Express contains no types.
  writeFileSync(join(folder, 'reader-names.d.ts'), `${names}declare module 'express';\n`);
  const base = { extends: join(ROOT, 'tsconfig.json') };
  const compilerOptions = {
    noUnusedLocals: false,
    noUnusedParameters: false,
    declaration: false,
    jsx: 'react-jsx',
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      ...base,
      compilerOptions,
      include: [join(folder, '*.ts'), join(folder, '*.tsx')],
      exclude: [],
    }),
  );
  const { stdout } = await execa('tsc', ['-p', folder, '--checkers', '1'], {
    cwd: ROOT,
    preferLocal: true,
    reject: false,
  });
  expect(stdout).toBe('');
});
