/** A database of another format: `serve`, `worker` and each command refuse it at their start. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import { describeUnless } from '../needs.ts';
import { postgresIsMissing } from '../postgres.ts';
import { openTestDatabases } from '../shared-postgres.ts';
import { temporaryFolder, truecast } from './cli-fixture.ts';
import { STORE_COMMANDS } from './store-commands.ts';

/** Arguments that each command accepts before it opens the database. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'token create': ['--name', 'x'],
  'token revoke': ['x'],
  'data export': ['x'],
  'data erase': ['x', '--yes'],
  'ensemble run': ['museum-boat', '--quiet'],
  'ensemble eval': ['museum-boat', '--model', 'stub', '--runs', '1'],
  'ensemble import': ['run.jsonl'],
  'ensemble say': ['x', 'Hello.'],
};
const OPENING = STORE_COMMANDS.filter(({ opensDatabase }) => opensDatabase !== false);
const REFUSAL =
  /^truecast: The database has format 0 of an earlier version of Truecast, and this version only reads format \d+: pass another database, or use the version that created this one\.$/mu;

/** Gives the database the format of an early version. */
async function age(url: string): Promise<void> {
  const store = await openStore({ url });
  await sql`update store_format set number = 0`.execute(store.db);
  await store.close();
}

describe('a database of an earlier format', () => {
  it('is refused by `serve` and each command with one sentence, and is unchanged', async () => {
    const cwd = temporaryFolder();
    const path = join(cwd, 'old.sqlite');
    const run = await truecast(cwd, 'ensemble', 'run', 'museum-boat', '--turns', '1', '--json', '--quiet');
    writeFileSync(join(cwd, 'run.jsonl'), run.stdout);
    await age(path);
    const before = readFileSync(path);
    const database = ['--database-url', path];
    for (const words of [
      ['serve', '--port', '0', '--model', 'scripted:demo'],
      ...OPENING.map(({ name }) => [...name.split(' '), ...(ARGUMENTS[name] ?? [])]),
    ]) {
      const { exitCode, stderr } = await truecast(cwd, ...words, ...database);
      expect({ words, exitCode, stderr }).toEqual({
        words,
        exitCode: 1,
        stderr: expect.stringMatching(REFUSAL),
      });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describeUnless(postgresIsMissing, 'a Postgres database of an earlier format', () => {
  it('is refused by `worker`', async () => {
    const databases = await openTestDatabases();
    try {
      const url = await databases.create();
      await age(url);
      const words = ['worker', '--model', 'scripted:demo', '--database-url', url];
      const { exitCode, stderr } = await truecast(temporaryFolder(), ...words);
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(REFUSAL) });
    } finally {
      await databases.drop();
    }
  });
});
