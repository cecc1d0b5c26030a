/** Tests of D5: programs and commands that end while the log of their database is checkpointed. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { openLedger } from '../../packages/ensemble/src/ledger/open-ledger.ts';
import { matrixColumns } from '../matrix.ts';
import { sharedPackages } from '../package/shared-build.ts';
import { temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { runProcess } from './routes/command.ts';

/** In `npm test` the packed packages, which load in a third of the processor time. */
const isBuilt = process.env['TRUECAST_COMMAND'] === 'built';
const packages = isBuilt
  ? join(await sharedPackages(), '@truecast')
  : join(import.meta.dirname, '../../packages');
const entryOf = (name: string): string => join(packages, name, isBuilt ? 'dist/index.mjs' : 'src/index.ts');
const CAST = [{ name: 'ada', mayEmit: ['agent.spoke'] }];
/** The log of the database, from which a checkpoint starts at the first commit. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** Numbers of rows at which a checkpoint was under way at the end. */
const ROWS = [98, 104, 110, 116];
const TEXT = 'x'.repeat(200_000);

/** The short form ends one of two kinds of program after each number of rows. */
async function endPrograms(kind: number, program: (path: string, rows: number) => string): Promise<void> {
  for (const rows of matrixColumns(kind, ROWS, { rows: 2 })) {
    const path = join(temporaryFolder(), 'truecast.sqlite');
    const args = ['--input-type=module', '-e', program(path, rows)];
    const { exitCode, stdout } = await execa(process.execPath, args, { reject: false });
    expect([rows, exitCode, stdout]).toEqual([rows, 0, 'closed']);
  }
}

const playLedger = (path: string, rows: number): string => `
  const { openLedger } = await import('${entryOf('ensemble')}');
  const ledger = await openLedger({ url: ${JSON.stringify(path)}, cast: ${JSON.stringify(CAST)} });
  for (let row = 0; row < ${rows}; row += 1)
    await ledger.as('ada').append({ runId: 'run', turn: 0, kind: 'agent.spoke', payload: { text: 'x' } });
  await ledger.close();
  console.log('closed');`;

const useServer = (path: string, rows: number): string => `
  const { createChatServer } = await import('${entryOf('server')}');
  const server = await createChatServer({ port: 0, databaseUrl: ${JSON.stringify(path)}, environment: { TRUECAST_BASE_URL: 'http://127.0.0.1:9/v1', TRUECAST_MODEL: 'm' } });
  for (let row = 0; row < ${rows}; row += 1) await server.createToken({ name: 'token-' + row });
  await server.close();
  console.log('closed');`;

async function printEverything(): Promise<void> {
  const cwd = temporaryFolder();
  const path = join(cwd, 'truecast.sqlite');
  await using ledger = await openLedger({ url: path, cast: CAST });
  for (let row = 0; row < 30; row += 1) {
    await ledger.as('ada').append({ runId: 'run', turn: 0, kind: 'agent.spoke', payload: { text: TEXT } });
  }
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(CHECKPOINT_BYTES);
  const call = (...args: readonly string[]) => runProcess({ cwd, args: [...args, '--database-url', path] });
  const created = await call('token', 'create', '--name', 'me');
  expect([created.exitCode, created.output]).toEqual([0, expect.stringMatching(/tc_\w+/u)]);
  const listed = await call('token', 'list');
  expect([listed.exitCode, listed.output]).toEqual([0, expect.stringContaining('me')]);
}

declareGuarantee('D5', {
  ensemble: () => endPrograms(0, playLedger),
  chat: () => endPrograms(1, useServer),
  command: printEverything,
});
