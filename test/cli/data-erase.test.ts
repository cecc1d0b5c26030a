/** `truecast data erase`: asks on a terminal, needs --yes elsewhere, and refuses mistyped owners. */
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { MAIN, temporaryFolder, truecast, type Ended } from './cli-fixture.ts';

interface Database {
  readonly call: (...words: readonly string[]) => Promise<Ended>;
  readonly flags: readonly string[];
  readonly cwd: string;
}

/** A database with a token of `anna` and one of the server itself. */
async function makeDatabase(): Promise<Database> {
  const cwd = temporaryFolder();
  const flags = ['--database-url', join(cwd, 'chats.sqlite')];
  const call = (...words: readonly string[]): Promise<Ended> => truecast(cwd, ...words, ...flags);
  await call('token', 'create', '--name', 'of anna', '--owner', 'anna');
  await call('token', 'create', '--name', 'truecast serve', '--owner', 'local');
  return { call, flags, cwd };
}

async function revoked({ call }: Database): Promise<readonly string[]> {
  const { stdout } = await call('token', 'list', '--json');
  return stdout.match(/"revokedAt"/gu) ?? [];
}

it('erases nothing without --yes, where it cannot ask', async () => {
  const database = await makeDatabase();
  const { exitCode, stderr } = await database.call('data', 'erase', 'anna');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Nothing was changed. To erase them, add `--yes`.');
  expect(await revoked(database)).toEqual([]);
  expect((await database.call('data', 'erase', 'anna', '--yes')).exitCode).toBe(0);
  expect(await revoked(database)).toHaveLength(1);
});

it('refuses an owner that the database does not have', async () => {
  const database = await makeDatabase();
  const { exitCode, stderr } = await database.call('data', 'erase', 'ana', '--yes');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('The database has no owner `ana`. List the owners with `truecast token list`.');
});

it("refuses the owner of the server's own token", async () => {
  const database = await makeDatabase();
  const { exitCode, stderr } = await database.call('data', 'erase', 'local', '--yes');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('`local` owns the token of `truecast serve` itself');
  expect(await revoked(database)).toEqual([]);
});

it.each([
  ['n', 130, 0],
  ['y', 0, 1],
] as const)('asks on a terminal: `%s` ends with %i', async (key, exitCode, count) => {
  const database = await makeDatabase();
  const words = [process.execPath, MAIN, 'data', 'erase', 'anna', ...database.flags];
  const line = words.map((word) => `'${word}'`).join(' ');
  // `script` gives the command a terminal, whose size is 0 at first.
  const ended = execa('script', ['-qec', `stty cols 100 rows 30; ${line}`, '/dev/null'], {
    cwd: database.cwd,
    env: { HOME: database.cwd },
    reject: false,
  });
  let shown = '';
  for await (const chunk of ended.iterable({ from: 'stdout', binary: true })) {
    const wasAsked = shown.includes('cannot be undone');
    shown += Buffer.from(chunk).toString();
    if (!wasAsked && shown.includes('cannot be undone')) ended.stdin?.write(key);
  }
  expect((await ended).exitCode).toBe(exitCode);
  expect(await revoked(database)).toHaveLength(count);
});
