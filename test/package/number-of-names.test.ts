/**
 * Checks the size of the surface: how many names the root and all packages export, that the ported
 * entry is complete, and which names only one entry has (ADR 0203).
 */
import { readFileSync } from 'node:fs';
import * as sandcastle from '@ai-hero/sandcastle';
import { expect, it } from 'vitest';
import { exportedTypes, exportedValues, SOURCES } from './public-entries.ts';

/** All names of an entry, values and types. */
async function namesOf(specifier: string): Promise<string[]> {
  const path = SOURCES[specifier] ?? '';
  return [...(await exportedValues(path)), ...exportedTypes(path)];
}

/** Names in the export lists of the published declarations of sandcastle. */
function sandcastleNames(): string[] {
  const text = readFileSync(
    new URL('../../node_modules/@ai-hero/sandcastle/dist/index.d.ts', import.meta.url),
    'utf8',
  );
  return [...text.matchAll(/^export \{([^}]*)\}/gmu)]
    .flatMap((match) => (match[1] ?? '').split(','))
    .map((name) => name.trim().replace(/^type /u, ''))
    .map((name) => name.replace(/^.* as /u, ''))
    .sort();
}

it('the root has at most 73 names', async () => {
  expect((await namesOf('truecast')).length).toBeLessThanOrEqual(73);
});

it('the root has the names with which a run returns a typed answer', async () => {
  const names = ['Output', 'RunOptions', 'RunResult', 'StructuredOutputError', 'run'];
  expect((await namesOf('truecast')).filter((name) => names.includes(name)).sort()).toEqual(names);
});

it('all entries of all packages have at most 406 different names', async () => {
  const all = await Promise.all(Object.keys(SOURCES).map(namesOf));
  expect(new Set(all.flat()).size).toBeLessThanOrEqual(406);
});

it('truecast/sandcastle has the names of sandcastle 0.12.0, values and types, and no other', async () => {
  const names = sandcastleNames();
  expect(names).toHaveLength(84);
  expect(await exportedValues(SOURCES['truecast/sandcastle'] ?? '')).toEqual(Object.keys(sandcastle).sort());
  expect((await namesOf('truecast/sandcastle')).sort()).toEqual(names);
});

it('no entry exports the types of git that a run uses inside', async () => {
  const all = await Promise.all(Object.keys(SOURCES).map(namesOf));
  const inside = ['ConfigEntry', 'GitHandOver', 'GitResult', 'HandedOverTip', 'SentBeside', 'TipRead'];
  expect(all.flat().filter((name) => inside.includes(name))).toEqual([]);
});

it('functions for JSON Schemas are in one entry, and errors of servers and ensembles not at the root', async () => {
  const names = await namesOf('truecast');
  const schema = await exportedValues(SOURCES['truecast/schema'] ?? '');
  // `Output` takes a schema of `jsonSchema()`, and `run()` throws `SchemaError`.
  const shared = ['SchemaError', 'jsonSchema'];
  expect(names.filter((name) => schema.includes(name))).toEqual(shared);
  const elsewhere = [
    'BudgetExceededError',
    'LedgerError',
    'ManifestError',
    'RequestEndedError',
    'RunEndedError',
    'ServerError',
  ];
  expect(names.filter((name) => elsewhere.includes(name))).toEqual([]);
});
