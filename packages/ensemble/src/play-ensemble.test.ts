/** Tests of `playEnsemble()` on the shipped scenarios, played by the stub. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLedger } from './ledger/open-ledger.ts';
import { shippedFolder } from './manifest/shipped-folder.ts';
import { playEnsemble } from './play-ensemble.ts';

const FOLDER = shippedFolder();

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'truecast-play-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('playEnsemble()', () => {
  it('plays a scenario to its end in one call', async () => {
    const kinds: string[] = [];
    const { state, end, turn } = await playEnsemble(FOLDER, 'museum-boat', {
      env: {},
      limits: { turns: 4 },
      onEvent: ({ kind }) => void kinds.push(kind),
    });
    expect({ state, reason: end?.reason, turn }).toEqual({ state: 'finished', reason: 'verdict', turn: 4 });
    expect(kinds[0]).toBe('run.started');
    expect(kinds).toContain('agent.spoke');
    expect(kinds.at(-1)).toBe('run.finished');
  });

  it('stores the run in the named database, with its seed', async () => {
    const databaseUrl = join(home, 'play.sqlite');
    const { runId } = await playEnsemble(FOLDER, 'museum-boat', {
      env: {},
      databaseUrl,
      seed: 'a lantern',
      limits: { turns: 1 },
    });
    await using ledger = await openLedger({ url: databaseUrl });
    expect(await ledger.runs()).toMatchObject([{ runId, scenario: 'museum-boat', seed: 'a lantern' }]);
  });

  it.each([
    ['museum-baot', 'Did you mean `museum-boat`?'],
    ['zzz', 'The folder has '],
  ])('names the scenarios that it knows for `%s`', async (name, text) => {
    await expect(playEnsemble(FOLDER, name, { env: {} })).rejects.toThrow(text);
  });

  it('refuses an unknown option with a suggestion', async () => {
    const options = Object.assign({ env: {} }, { sed: 'x' });
    await expect(playEnsemble(FOLDER, 'museum-boat', options)).rejects.toThrow('Did you mean `seed`?');
  });
});
