/**
 * Bench of a run's overhead besides its agent: an instant program as the agent, against the same
 * git commands by hand.
 */
import { join } from 'node:path';
import type { AgentRunReply, Strategy } from '../contestants/agent-run.ts';
import type { RunnerName } from '../contestants/agent-run-host.ts';
import { ContestantCrash, startContestant, type ContestantProcess } from '../harness/ask-process.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatRatio, formatSpread } from '../harness/format.ts';
import { temporaryFolder } from '../harness/isolated-home.ts';
import type { Bench } from '../harness/report.ts';
import { medianRatio } from '../harness/statistics.ts';
import { temporaryRepository, type TemporaryRepository } from '../harness/temporary-repository.ts';

const HOST = new URL('../contestants/agent-run-host.ts', import.meta.url);
const NAMES: readonly RunnerName[] = ['truecast', 'by hand', 'sandcastle'];
const STRATEGIES: readonly Strategy[] = ['head', 'branch', 'merge-to-head'];
const AGENT = `git commit -q --allow-empty -m work && echo '<result>{"answer":42}</result>'`;
const WARM_UP_ROUNDS = 3;

interface Runner {
  readonly name: RunnerName;
  /** Replaced after a crash. */
  process: ContestantProcess;
  readonly home: string;
  readonly repository: TemporaryRepository;
}

export const benchRunOverhead: Bench = async ({ isQuick, progress }) => {
  await using folder = await temporaryFolder();
  const runners = await Promise.all(NAMES.map((name) => startRunner(name, folder.path)));
  const rows: string[][] = [];
  try {
    for (const strategy of STRATEGIES) {
      progress(strategy);
      rows.push(...(await measureStrategy(runners, strategy, { rounds: isQuick ? 5 : 20, progress })));
    }
  } finally {
    for (const runner of runners) await runner.process.stop();
  }
  const columns = ['strategy', 'contestant', 'ms per run', '/ by hand', '/ truecast', 'git processes'];
  return {
    name: 'run-overhead',
    method: METHOD,
    tables: [{ title: `run() of \`${AGENT}\``, columns, rows }],
  };
};

const METHOD = [
  'The agent is an instant shell program that commits and prints its answer, without a sandbox, in a repository of 50 small files. The rest is the runner’s time. 20 rounds (5 with --quick) after 3 of warm-up. Each contestant has its own process, home and repository. The repository is reset between runs, outside of the measured time.',
  '`by hand` is a short script in the same Node process: rev-parse; worktree add; the program; rev-list; status; merge; worktree remove; branch -d, as the strategy requires. It has no lock, no log, no timeout, no protection against the agent’s hooks and configuration, and no error handling. A runner has them.',
  'Trap: starting a process blocks Node for longer the more memory it holds (measured here: 1.4 ms at 70 MB, 20 ms at 410 MB). A small script therefore starts git faster than a process that has loaded a library.',
  'The strategy `branch` gets a new branch at each run. Git processes are counted in one more run, which is not timed. The agent’s own commit is included.',
];

async function startRunner(name: RunnerName, parent: string): Promise<Runner> {
  const home = join(parent, name.replace(' ', '-'));
  const repository = await temporaryRepository(home, 'repository');
  return { name, process: startContestant(HOST, [name], home), home, repository };
}

interface Rounds {
  readonly rounds: number;
  readonly progress: (message: string) => void;
}

async function measureStrategy(
  runners: readonly Runner[],
  strategy: Strategy,
  { rounds, progress }: Rounds,
): Promise<string[][]> {
  const samples: Record<RunnerName, number[]> = {
    truecast: [],
    'truecast in bubblewrap': [],
    sandcastle: [],
    'by hand': [],
  };
  const crashed = new Set<RunnerName>();
  const attempt = async (
    runner: Runner,
    branch: string,
    tracesGit: boolean,
  ): Promise<AgentRunReply | undefined> => {
    if (crashed.has(runner.name)) return undefined;
    try {
      return await runOnce(runner, strategy, branch, tracesGit);
    } catch (error) {
      if (!(error instanceof ContestantCrash) || runner.name === 'truecast') throw error;
      progress(error.message);
      crashed.add(runner.name);
      await restart(runner);
      return undefined;
    }
  };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const runner of runners) {
      const reply = await attempt(runner, `bench-${round + WARM_UP_ROUNDS}`, false);
      if (round >= 0 && reply !== undefined) samples[runner.name].push(reply.ms);
    }
  }
  const rows: string[][] = [];
  for (const runner of runners) {
    const traced = await attempt(runner, 'bench-traced', true);
    rows.push([strategy, runner.name, ...cellsOf(samples, runner.name, traced)]);
  }
  return rows;
}

/** Returns the figures of one contestant. One that crashed has none. */
function cellsOf(
  samples: Readonly<Record<RunnerName, readonly number[]>>,
  name: RunnerName,
  traced: AgentRunReply | undefined,
): string[] {
  if (traced === undefined) return ['crashed', '-', '-', '-'];
  const own = samples[name];
  const ratios = [medianRatio(own, samples['by hand']), medianRatio(own, samples.truecast)];
  return [formatSpread(own), ...ratios.map((ratio) => formatRatio(ratio)), String(traced.gitCommands.length)];
}

/** Starts a crashed contestant again, for the next strategy. */
async function restart(runner: Runner): Promise<void> {
  await runner.repository.reset();
  runner.process = startContestant(HOST, [runner.name], runner.home);
}

async function runOnce(
  runner: Runner,
  strategy: Strategy,
  branch: string,
  tracesGit = false,
): Promise<AgentRunReply> {
  const request = { command: AGENT, repository: runner.repository.path, strategy, branch, tracesGit };
  const reply = await runner.process.ask<AgentRunReply>(request, 30_000);
  expectRight(`${runner.name} on ${strategy}`, [reply?.answer, reply?.commits], [{ answer: 42 }, 1]);
  if (reply === undefined) throw new Error(`${runner.name} gave no reply on ${strategy}.`);
  await runner.repository.reset();
  return reply;
}
