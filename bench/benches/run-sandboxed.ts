/** Bench of a sandbox's cost: one run() in bubblewrap, with its own git store, against one without a sandbox. */
import { join } from 'node:path';
import type { AgentRunReply, Strategy } from '../contestants/agent-run.ts';
import type { RunnerName } from '../contestants/agent-run-host.ts';
import { startContestant, type ContestantProcess } from '../harness/ask-process.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber, formatRatio, formatSpread } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { temporaryRepository, type TemporaryRepository } from '../harness/temporary-repository.ts';

const HOST = new URL('../contestants/agent-run-host.ts', import.meta.url);
const NAMES = ['truecast', 'truecast in bubblewrap'] as const satisfies readonly RunnerName[];
const STRATEGIES: readonly Strategy[] = ['head', 'merge-to-head'];
const AGENT = `git commit -q --allow-empty -m work && echo '<result>{"answer":42}</result>'`;
const FILE_COUNTS = [50, 20_000];
const WARM_UP_ROUNDS = 3;

interface Runner {
  readonly name: (typeof NAMES)[number];
  readonly process: ContestantProcess;
  readonly repository: TemporaryRepository;
}

export const benchRunSandboxed: Bench = async ({ isQuick, progress }) => {
  const rows: string[][] = [];
  for (const files of isQuick ? FILE_COUNTS.slice(0, 1) : FILE_COUNTS) {
    await using folder = await temporaryFolder();
    const runners = await Promise.all(NAMES.map((name) => startRunner(name, folder.path, files)));
    try {
      for (const strategy of STRATEGIES) {
        progress(`${files} files, ${strategy}`);
        rows.push(...(await measure(runners, strategy, files, isQuick ? 5 : 20)));
      }
    } finally {
      for (const runner of runners) await runner.process.stop();
    }
  }
  const columns = ['files', 'strategy', 'contestant', 'ms per run', '+ ms', '/ truecast', 'git processes'];
  return {
    name: 'run-sandboxed',
    method: METHOD,
    tables: [{ title: `run() of \`${AGENT}\` in a sandbox`, columns, rows }],
  };
};

const METHOD = [
  'The agent is an instant shell program that commits and prints its answer, in a repository of small files. The difference between the two contestants is the cost of the sandbox: starting bubblewrap (with the host’s network), the guest’s git store, and the hand-over of its commits.',
  '20 rounds (5 with --quick, small repository only) after 3 of warm-up. Each contestant has its own process, home and repository. The repository is reset between runs, outside of the measured time. Git processes are counted in one more run, which is not timed. The agent’s own commit is included.',
];

async function startRunner(name: Runner['name'], parent: string, files: number): Promise<Runner> {
  const home = join(parent, name.replaceAll(' ', '-'));
  const repository = await temporaryRepository(home, 'repository', files);
  return { name, process: startContestant(HOST, [name], home), repository };
}

async function measure(
  runners: readonly Runner[],
  strategy: Strategy,
  files: number,
  rounds: number,
): Promise<string[][]> {
  const samples: Record<Runner['name'], number[]> = { truecast: [], 'truecast in bubblewrap': [] };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const runner of runners) {
      const { ms } = await runOnce(runner, strategy);
      if (round >= 0) samples[runner.name].push(ms);
    }
  }
  const rows: string[][] = [];
  for (const runner of runners) {
    const { gitCommands } = await runOnce(runner, strategy, true);
    const own = samples[runner.name];
    rows.push([
      String(files),
      strategy,
      runner.name,
      formatSpread(own),
      formatNumber(summarize(own).median - summarize(samples.truecast).median),
      formatRatio(medianRatio(own, samples.truecast)),
      String(gitCommands.length),
    ]);
  }
  return rows;
}

async function runOnce(runner: Runner, strategy: Strategy, tracesGit = false): Promise<AgentRunReply> {
  const request = {
    command: AGENT,
    repository: runner.repository.path,
    strategy,
    branch: 'unused',
    tracesGit,
  };
  const reply = await runner.process.ask<AgentRunReply>(request, 60_000);
  expectRight(`${runner.name} on ${strategy}`, [reply?.answer, reply?.commits], [{ answer: 42 }, 1]);
  if (reply === undefined) throw new Error(`${runner.name} gave no reply on ${strategy}.`);
  await runner.repository.reset();
  return reply;
}
