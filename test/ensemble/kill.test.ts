/**
 * Tests recovery of a play from its file: killed at any moment and restarted, it ends as if it had
 * never been killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventsOf, storyOf } from '../../packages/ensemble/src/conductor/test-ensemble.ts';
import { openLedger } from '../../packages/ensemble/src/ledger/open-ledger.ts';
import { bundledHost } from '../bundled-host.ts';
import { matrixRuns } from '../matrix.ts';

const PROGRAM = await bundledHost(new URL('killed-play.ts', import.meta.url));
const TURNS = matrixRuns(80, 200);
const KILLS = matrixRuns(3, 20);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truecast-kill-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Continues the play and kills the program after this many events. Returns how it ended. */
async function play(url: string, events = Infinity): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM, url, String(TURNS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = 0;
  child.stdout.on('data', (dots: Buffer) => {
    told += dots.length;
    if (told >= events) child.kill('SIGKILL');
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? code;
}

async function storyIn(url: string): Promise<unknown[]> {
  const ledger = await openLedger({ url });
  const events = await eventsOf(ledger);
  await ledger.close();
  expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => `run-1.${index + 1}`));
  return storyOf(events);
}

it(
  `has the same ledger of ${TURNS} turns when its program is killed at ${KILLS} random appends`,
  { timeout: 300_000 },
  async () => {
    const [whole, killed] = [join(folder, 'whole.sqlite'), join(folder, 'killed.sqlite')];
    expect(await play(whole)).toBe(0);
    const story = await storyIn(whole);
    expect(story.length).toBeGreaterThan(7 * TURNS);
    // Kills within a run of that length, wherever the program is when the signal arrives.
    const kills = Array.from({ length: KILLS }, () => 1 + Math.floor(Math.random() * 60));
    for (const events of kills) {
      expect(await play(killed, events), `kills: ${kills.join(' ')}`).toBe('SIGKILL');
    }
    expect(await play(killed)).toBe(0);
    expect(await storyIn(killed), `kills: ${kills.join(' ')}`).toEqual(story);
  },
);
