/** Bench of memory: the peak of a process while it scans a transcript of growing size. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentRunReply } from '../contestants/agent-run.ts';
import type { RunnerName } from '../contestants/agent-run-host.ts';
import type { MemoryReply } from '../contestants/memory-host.ts';
import { startContestant } from '../harness/ask-process.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { summarize } from '../harness/statistics.ts';
import { temporaryRepository } from '../harness/temporary-repository.ts';
import { MEGABYTE, proseThenAnswer } from '../inputs/transcripts.ts';

const SCANNER = new URL('../contestants/memory-host.ts', import.meta.url);
const RUNNER = new URL('../contestants/agent-run-host.ts', import.meta.url);

export const benchMemory: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  const rows: string[][] = [];
  const add = async (
    contestant: string,
    megabytes: number,
    measure: () => Promise<number>,
  ): Promise<void> => {
    progress(`${contestant}, ${megabytes} MB`);
    const samples: number[] = [];
    for (let round = 0; round < (isQuick || contestant.startsWith('sandcastle') ? 1 : 3); round += 1) {
      samples.push((await measure()) / MEGABYTE);
    }
    const { min, median, max } = summarize(samples);
    rows.push([
      contestant,
      String(megabytes),
      formatNumber(median),
      `${formatNumber(min)} to ${formatNumber(max)}`,
    ]);
  };
  for (const megabytes of [10, 100]) {
    await add('truecast scanner', megabytes, () => measureScanner(megabytes, folder.path));
  }
  for (const megabytes of isQuick ? [1, 10] : [1, 10, 100]) {
    await add('truecast run()', megabytes, () => measureRun('truecast', megabytes, folder.path));
  }
  if (!isQuick) await add('sandcastle run()', 1, () => measureRun('sandcastle', 1, folder.path));
  const columns = ['contestant', 'transcript, MB', 'grown by, MB', 'min to max'];
  return {
    name: 'memory',
    method: METHOD,
    tables: [{ title: 'peak memory of the process, minus its peak after a warm-up', columns, rows }],
  };
};

const METHOD = [
  'Each figure is a new process: its peak resident size (`getrusage`) after the transcript, minus the peak after a warm-up on a transcript of 1 MB (scanner) or one line (run). The figure is the median of 3 processes (1 with --quick, and for the peer).',
  'The scanner gets pieces of 64 KiB that are created when they are sent. A flat line from 10 to 100 MB shows that it keeps none of them. Garbage that is not yet collected counts, so tens of MB belong to the collector.',
  '`run()` keeps the last 4 Mi characters of the text and of stdout for its result, at any size. With a collection every 20 ms it grows by 40 MB for 1 and for 100 MB: the rest is garbage. The peer gets 1 MB only: see `extraction-run` for its time with more.',
];

async function measureScanner(megabytes: number, home: string): Promise<number> {
  const process = startContestant(SCANNER, [], home);
  const reply = await process.ask<MemoryReply>({ bytes: megabytes * MEGABYTE }, 60_000);
  await process.stop();
  expectRight('the scanner', reply?.answer, { answer: 42 });
  return reply?.grownBytes ?? Number.NaN;
}

async function measureRun(name: RunnerName, megabytes: number, parent: string): Promise<number> {
  const home = join(parent, `${name}-${megabytes}-${performance.now()}`);
  const repository = await temporaryRepository(home, 'repository');
  const path = join(home, 'transcript.txt');
  await writeFile(path, proseThenAnswer(megabytes * MEGABYTE).text, 'latin1');
  const process = startContestant(RUNNER, [name], home);
  const ask = (command: string): Promise<AgentRunReply | undefined> =>
    process.ask({ command, repository: repository.path, strategy: 'head', branch: '' }, 60_000);
  const before = await ask(`echo '<result>{"answer":42}</result>'`);
  const after = await ask(`cat '${path}'`);
  await process.stop();
  expectRight(name, after?.answer, { answer: 42 });
  return (after?.maxRssBytes ?? Number.NaN) - (before?.maxRssBytes ?? Number.NaN);
}
