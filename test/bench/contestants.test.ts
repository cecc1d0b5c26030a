import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ContestantCrash, startContestant, type ContestantProcess } from '../../bench/harness/ask-process.ts';
import { runBenches } from '../../bench/harness/run-benches.ts';

const HOST = new URL('contestant-host.ts', import.meta.url);
/** Longer than the test's own limit: a request that waits for it fails the test. */
const NEVER_MS = 3_600_000;

it.each([['exits', '3'] as const, ['broken pipe', '1'] as const])(
  'a contestant that crashes (%s) is reported by its name, also when it is asked again',
  async (how, code) => {
    const contestant = start(how);
    const message = `The contestant \`${how}\` ended with exit code ${code} before it replied.`;
    await expect(contestant.ask({}, NEVER_MS)).rejects.toThrow(message);
    await expect(contestant.ask({}, NEVER_MS)).rejects.toThrow(ContestantCrash);
    await contestant.stop();
  },
);

it('a contestant that is killed is reported with its signal', async () => {
  const contestant = start('replies');
  expect(await contestant.ask({}, NEVER_MS)).toEqual({ answer: 42 });
  await contestant.stop();
  await expect(contestant.ask({}, NEVER_MS)).rejects.toThrow('`replies` ended with SIGKILL');
});

it('a bench whose contestant crashes does not prevent the next bench', async () => {
  const run = async (how: string): Promise<{ name: string; method: string[]; tables: [] }> => {
    await start(how).ask({}, NEVER_MS);
    return { name: how, method: [], tables: [] };
  };
  const printed: string[] = [];
  const { reports, failures } = await runBenches(['broken pipe', 'replies'], run, ({ name }) =>
    printed.push(name),
  );
  expect([printed, reports.map(({ name }) => name)]).toEqual([['replies'], ['replies']]);
  expect(failures).toMatchObject([
    { name: 'broken pipe', message: expect.stringContaining('`broken pipe` ended') },
  ]);
});

function start(how: string): ContestantProcess {
  const home = mkdtempSync(join(tmpdir(), 'truecast-bench-test-'));
  const contestant = startContestant(HOST, [how], home);
  onTestFinished(async () => {
    await contestant.stop();
    rmSync(home, { recursive: true, force: true });
  });
  return contestant;
}
