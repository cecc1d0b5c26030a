import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../packages/core/src/schema/dialects/profiles/dialect-profile.ts';
import { temporaryFolder, truecast } from './cli-fixture.ts';

const ZOD = fileURLToPath(import.meta.resolve('zod'));
const MODULE = `
import { z } from ${JSON.stringify(ZOD)};
const Tree = z.object({ name: z.string(), get kids() { return z.array(Tree) } });
export const union = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b'), n: z.number() })]);
export const fields = z.object({ note: z.string().min(2).refine((text) => text !== 'no').optional(), counts: z.record(z.string(), z.number()) });
export const list = z.array(z.string());
export const tree = Tree;
`;

interface Checked {
  readonly providers: readonly {
    readonly provider: string;
    readonly taken: boolean;
    readonly changes: readonly { readonly path: readonly string[]; readonly form: string }[];
    readonly losses: readonly { readonly path: readonly string[]; readonly keyword: string }[];
  }[];
}

/** Each provider's result for a schema of the module: `form /path: …` and `lost /path keyword`. */
async function check(name: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'schemas.mjs'), MODULE);
  const { stdout, exitCode } = await truecast(folder, 'check', `./schemas.mjs#${name}`, '--json');
  expect(exitCode).toBe(0);
  const report: Checked = JSON.parse(stdout);
  return Object.fromEntries(
    report.providers.map(({ provider, changes, losses }) => [
      provider,
      [
        ...changes.map(({ path, form }) => `form /${path.join('/')}: ${form}`),
        ...losses.map(({ path, keyword }) => `lost /${path.join('/')} ${keyword}`),
      ],
    ]),
  );
}

const ENVELOPE = 'form /: an object with the answer under `output`';

describe('truecast check reports', () => {
  it('a discriminated union', async () => {
    const asAnyOf = ['form /oneOf: `anyOf`', ENVELOPE];
    expect(await check('union')).toMatchObject({
      openai: asAnyOf,
      codex: asAnyOf,
      anthropic: asAnyOf,
      gemini: ['form /oneOf: `anyOf`'],
      'claude-code': [ENVELOPE],
      grammar: asAnyOf,
    });
  });

  it('an optional field and a record', async () => {
    const entries = 'form /properties/counts: a list of entries with `key` and `value`';
    const nullable = 'form /properties/note: required, and `null` when absent';
    const lost = 'lost /properties/note/minLength minLength';
    expect(await check('fields')).toMatchObject({
      openai: [nullable, entries, lost],
      codex: [nullable, entries, lost],
      anthropic: [entries, lost],
      gemini: [lost],
      'claude-code': [],
      grammar: [nullable, entries],
    });
  });

  it('every dialect', async () => {
    expect(Object.keys(await check('list'))).toEqual(DIALECTS);
  });

  it('an array at the root', async () => {
    expect(await check('list')).toMatchObject({
      openai: [ENVELOPE],
      codex: [ENVELOPE],
      anthropic: [ENVELOPE],
      gemini: [],
      'claude-code': [ENVELOPE],
      grammar: [ENVELOPE],
    });
  });

  it('a recursive type', async () => {
    const kept = 'form /properties/kids/items/$ref: recursion is kept';
    expect(await check('tree')).toMatchObject({
      openai: [kept],
      codex: [kept],
      anthropic: ['lost /properties/kids/items/$ref $ref'],
      gemini: [kept, 'lost /properties/kids required'],
      'claude-code': [],
      grammar: [kept],
    });
  });
});

describe('truecast check', () => {
  let folder: string;
  const write = (schema: unknown): void => writeFileSync(join(folder, 'x.json'), JSON.stringify(schema));

  it('prints size, cost, an example and what only the schema itself judges', async () => {
    folder = temporaryFolder();
    writeFileSync(join(folder, 'schemas.mjs'), MODULE);
    const { stdout, exitCode } = await truecast(folder, 'check', './schemas.mjs#fields', '--for', 'openai');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/draft 2020-12, \d+ bytes, 5 schemas, \d+ values/u);
    expect(stdout).toMatch(
      /compiled in [\d.]+ ms; validating its example takes at most \d+ of 500000 units/u,
    );
    expect(stdout).toContain('example: {"note":"sample","counts":{"key1":42}}');
    expect(stdout).toContain('not in the JSON Schema: refine at /properties/note');
    expect(stdout).toContain('openai: accepts it, 1 lost');
    expect(stdout).not.toContain('gemini');
  });

  it('exits with 1 when a listed provider rejects the schema, and prints the path', async () => {
    folder = temporaryFolder();
    write({
      type: 'object',
      properties: { a: { enum: Array.from({ length: 1001 }, (_, index) => `v${index}`) } },
    });
    const failed = await truecast(folder, 'check', 'x.json', '--for', 'gemini,codex');
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout).toMatch(
      /gemini: accepts it[\s\S]*codex: rejects it at the root[\s\S]*1000 enum values/u,
    );
    expect((await truecast(folder, 'check', 'x.json', '--for', 'gemini')).exitCode).toBe(0);
    expect((await truecast(folder, 'check', 'x.json')).exitCode).toBe(0);
  });

  it('exits with 1 when the schema itself is wrong, with the path', async () => {
    folder = temporaryFolder();
    write({ type: 'object', properties: { a: { type: 'strng' } } });
    const { stdout, exitCode } = await truecast(folder, 'check', 'x.json', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      problem: { code: 'invalid', path: ['properties', 'a', 'type'] },
    });
  });

  it('exits with 2 for a file that is missing and a provider that is unknown', async () => {
    folder = temporaryFolder();
    expect((await truecast(folder, 'check', 'none.json')).exitCode).toBe(2);
    const unknown = await truecast(folder, 'check', 's.json', '--for', 'nobody');
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain(DIALECTS.join(', '));
  });
});
