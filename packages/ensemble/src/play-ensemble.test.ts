/** Tests of `playEnsemble()` on the shipped scenarios, played by the stub. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
    let said: object | undefined;
    const { state, end, turn, verdict } = await playEnsemble(FOLDER, 'museum-boat', {
      env: {},
      limits: { turns: 4 },
      onEvent({ kind, actor, payload }) {
        kinds.push(kind);
        if (kind === 'judge.verdict') said = { by: actor, ...payload };
      },
    });
    expect({ state, reason: end?.reason, turn }).toEqual({ state: 'finished', reason: 'verdict', turn: 4 });
    expect(verdict).toEqual(said);
    expect(verdict?.text).toMatch(/\w/u);
    expect(verdict?.winner).toBe(end?.winner);
    expect(kinds[0]).toBe('run.started');
    expect(kinds).toContain('agent.spoke');
    expect(kinds.at(-1)).toBe('run.finished');
  });

  it('reads the environment of the process by default', async () => {
    expect((await playEnsemble(FOLDER, 'museum-boat', { limits: { turns: 1 } })).turn).toBe(1);
    vi.stubEnv('TRUECAST_BASE_URL', 'http://127.0.0.1:2/v1');
    try {
      await expect(playEnsemble(FOLDER, 'museum-boat')).rejects.toThrow('TRUECAST_MODEL is not set');
    } finally {
      vi.unstubAllEnvs();
    }
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
