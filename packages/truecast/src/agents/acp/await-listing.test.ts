import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { execa } from 'execa';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { withBundledBridge } from '../../../../../test/bundled-bridge.ts';
import { bundledHost } from '../../../../../test/bundled-host.ts';
import { cleanUp, newRepository, temporaryFolder } from '../../git/test-repository.ts';
import { run } from '../../run/run.ts';
import { startListingWatch } from '../../run/finalizer/listing-watch.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import { acp } from './acp.ts';
import { untilListed, watchServer, type ServerWatch } from './await-listing.ts';
import { createStartMark } from './start-mark.ts';

afterEach(cleanUp);

const PROGRAM = await bundledHost(new URL('./test-acp-agent.ts', import.meta.url));

function submitAnswer(can: string) {
  return run({
    agent: withBundledBridge(
      acp({
        command: [process.execPath, PROGRAM],
        node: process.execPath,
        env: { ACP_CAN: can, ACP_STORE: join(temporaryFolder(), 'store') },
      }),
    ),
    sandbox: noSandbox(),
    branchStrategy: { type: 'head' },
    cwd: newRepository(),
    prompt: 'submit 1',
    output: Output.object({ mode: 'mcp', schema: z.object({ a: z.number() }) }),
  });
}

describe('the tools of a run', () => {
  it('are known in the first turn of an agent whose server starts slowly beside the session', async () => {
    const result = await submitAnswer('start-slowly');
    expect(result).toMatchObject({ output: { a: 1 }, stdout: 'tools: 1', warnings: [] });
    expect(result.iterations).toHaveLength(1);
  });

  it('are known in the next turn of its session', async () => {
    const first = await submitAnswer('start-slowly,load');
    expect(await first.resume?.('submit 2')).toMatchObject({ output: { a: 2 }, stdout: 'tools: 1' });
  });

  it('are known to an agent that starts its server only with a prompt', async () => {
    const result = await submitAnswer('start-with-prompt');
    expect(result).toMatchObject({ output: { a: 1 }, stdout: 'tools: 1', warnings: [] });
  });
});

/** Reports that a test makes, and the times that were waited for. */
function fakeWait({ openedMs = 0, isStarted = false, passes = 0 } = {}) {
  const never = new Promise<void>(() => undefined);
  const [started, listed, lost, ended] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const slept: number[] = [];
  const watch: ServerWatch = {
    accepted: Promise.resolve(),
    started: started?.promise ?? never,
    listed: listed?.promise ?? never,
    lost: lost?.promise ?? never,
    close: () => undefined,
  };
  const outcome = untilListed(watch, {
    openedMs,
    isStarted: () => isStarted,
    ended: ended?.promise ?? never,
    // The first `passes` times pass at once.
    sleep: (ms) => (slept.push(ms) <= passes ? Promise.resolve() : never),
  });
  return { outcome, slept, started, listed, lost, ended };
}

describe('the wait before a prompt', () => {
  it('ends with the listing', async () => {
    const { outcome, started, listed, slept } = fakeWait();
    started?.resolve();
    await expect.poll(() => slept).toEqual([2_000, 30_000]);
    listed?.resolve();
    expect(await outcome).toBe('listed');
  });

  it.each([
    [0, 2_000],
    [5_000, 5_000],
    [60_000, 10_000],
  ])(
    'of an agent that opened its session in %i ms ends after %i ms without a start',
    async (openedMs, ms) => {
      const { outcome, slept } = fakeWait({ openedMs, passes: 1 });
      expect(await outcome).toBe('lazy');
      expect(slept).toEqual([ms]);
    },
  );

  it('goes on for a server that was started and has not connected', async () => {
    const { outcome, slept, listed } = fakeWait({ isStarted: true, passes: 1 });
    await expect.poll(() => slept).toEqual([2_000, 30_000]);
    listed?.resolve();
    expect(await outcome).toBe('listed');
  });

  it('ends for a server that was started and never listed', async () => {
    expect(await fakeWait({ isStarted: true, passes: 2 }).outcome).toBe('late');
  });

  it.each(['lost', 'ended'] as const)('ends when the socket or the agent is gone (%s)', async (which) => {
    const wait = fakeWait();
    wait[which]?.resolve();
    expect(await wait.outcome).toBe('gone');
  });
});

describe('the watch of a server', () => {
  it('gets the reports that follow its connection', async () => {
    const path = join(temporaryFolder(), 's.watch');
    const host = await startListingWatch(path);
    host.report('started');
    const watch = watchServer(path);
    await watch.accepted;
    expect(host.isWatched).toBe(true);
    const first = Promise.race([watch.started.then(() => 'started'), watch.listed.then(() => 'listed')]);
    host.report('listed');
    expect(await first).toBe('listed');
    watch.close();
    await watch.lost;
    await expect.poll(() => host.isWatched).toBe(false);
    await host.close();
    expect(existsSync(path)).toBe(false);
  });

  it('is lost without a socket', async () => {
    await watchServer(join(temporaryFolder(), 'none')).lost;
  });
});

describe('a start mark', () => {
  it('is made by the command before the server runs, which keeps its arguments and works without the mark', async () => {
    const mark = createStartMark();
    const { command, args } = mark.wrap({
      name: 'truecast',
      command: process.execPath,
      args: ['-p', 'process.argv.slice(1).join()', 'a b', '$c'],
    });
    expect(mark.isMade).toBe(false);
    expect((await execa(command, args)).stdout).toBe('a b,$c');
    expect(mark.isMade).toBe(true);
    mark.remove();
    expect(mark.isMade).toBe(false);
    expect((await execa(command, args)).stdout).toBe('a b,$c');
  });
});
