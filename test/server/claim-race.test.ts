/**
 * Eight processes claim 200 runs, 200 claims at once (in the short form of the matrix, two processes 48 runs, 50 at
 * once). Their log shows that no limit is exceeded.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createRunMachine, type RunMachine } from '../../packages/server/src/runs/state/run-machine.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixRuns } from '../matrix.ts';
import { temporaryFolder } from '../run/fixture.ts';

const HOST = await bundledHost(new URL('claim-race-host.ts', import.meta.url));
const PROCESSES = matrixRuns(2, 8);
const RUNS_PER_LIMIT = matrixRuns(12, 50);
const RUNS = 4 * RUNS_PER_LIMIT;
const LIMITS = { perRepository: 5, perAgent: 7, perOwner: 6 };
/** Usage of a run of the host. */
const RUN_TOKENS = 10;
const BUDGET_TOKENS = matrixRuns(50, 100);
const FIVE = ['a', 'b', 'c', 'd', 'e'];
const named = (kind: string): readonly string[] => FIVE.map((each) => `${kind}-${each}`);
const OFFERS = {
  repositories: ['repository', 'batch', ...named('of-owner'), ...named('of-agent')],
  agents: ['agent', 'batch', ...named('of-owner'), ...named('of-repository')],
};

describeOnBothStores(`claims at once by ${PROCESSES} processes`, (fixture) => {
  it('exceed no limit of repositories, agents and owners and no budget, and start each run once', async () => {
    const url = await fixture.freshUrl();
    const machine = createRunMachine({ store: await fixture.open(url) });
    const batchId = await queueRuns(machine);
    const logFile = join(temporaryFolder(), 'claims.log');
    const claimers = await Promise.all(Array.from({ length: PROCESSES }, () => startClaimer([url, logFile])));
    const rounds = await endAllRuns(claimers, async () => {
      const wait = { owner: 'batch', batchId, after: RUNS, limit: 1, waitMs: 0 };
      expect(await machine.waitForResults(wait)).toMatchObject({ waitsForBudget: true, results: [] });
      appendFileSync(logFile, 'raised\n');
      await setBudget(machine, RUNS * RUN_TOKENS);
    });
    // Nothing ends in the first round: each limit has as many runs as it allows, and the batch has the runs of its repository.
    expect(rounds[0]).toBe(LIMITS.perRepository + LIMITS.perAgent + LIMITS.perOwner + LIMITS.perRepository);
    expect(readClaims(readFileSync(logFile, 'utf8'))).toEqual({
      started: RUNS,
      stillHeld: 0,
      mostOfOwner: LIMITS.perOwner,
      mostOfRepository: LIMITS.perRepository,
      mostOfAgent: LIMITS.perAgent,
      startedWithoutBudget: 0,
    });
    const { runs } = await machine.listRuns({ owner: 'batch', limit: RUNS });
    expect(runs.filter(({ status }) => status === 'succeeded')).toHaveLength(RUNS_PER_LIMIT);
  });
});

/** Queues runs that one limit alone holds back, for each limit, and a batch of as many. Returns the batch. */
async function queueRuns(machine: RunMachine): Promise<string> {
  const create = (owner: string, repository: string, agent: string): Promise<unknown> =>
    machine.createRun({ owner, request: { repository, agent, prompt: 'Go' } });
  for (let count = 0; count < RUNS_PER_LIMIT; count += 1) {
    const one = FIVE[count % 5];
    await create('owner', `of-owner-${one}`, `of-owner-${one}`);
    await create(`of-repository-${one}`, 'repository', `of-repository-${one}`);
    await create(`of-agent-${one}`, `of-agent-${one}`, 'agent');
  }
  const batchId = await setBudget(machine, BUDGET_TOKENS);
  const items = Array.from({ length: RUNS_PER_LIMIT }, (_each, index) => ({ key: `${index}`, prompt: 'Go' }));
  await machine.addItems({ owner: 'batch', batchId, items });
  return batchId;
}

/** Creates the batch, or gives it another budget. */
async function setBudget(machine: RunMachine, tokens: number): Promise<string> {
  const request = { repository: 'batch', agent: 'batch' };
  return (await machine.createBatch({ owner: 'batch', name: 'batch', request, budget: { tokens } })).id;
}

/** Starts a round of a process. Returns how many runs it ended, and how many it has now. */
type Claimer = () => Promise<readonly [ended: number, held: number]>;

async function startClaimer([url, logFile]: readonly [url: string, logFile: string]): Promise<Claimer> {
  const settings = JSON.stringify({ offers: OFFERS, limits: LIMITS });
  const child = spawn(process.execPath, [HOST, url, settings, logFile], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => z.string().parse((await lines.next()).value);
  expect(await next()).toBe('ready');
  return async () => {
    child.stdin.write('go\n');
    const [ended = 0, held = 0] = (await next()).split(' ').map(Number);
    return [ended, held];
  };
}

/** Starts rounds of all processes until all runs ended. Returns the runs that they have after each round. */
async function endAllRuns(
  claimers: readonly Claimer[],
  onNoneLeft: () => Promise<void>,
): Promise<readonly number[]> {
  const rounds: number[] = [];
  let ended = 0;
  while (ended < RUNS) {
    const answers = await Promise.all(claimers.map((round) => round()));
    const held = answers.reduce((sum, [, own]) => sum + own, 0);
    ended += answers.reduce((sum, [own]) => sum + own, 0);
    if (held === 0 && ended < RUNS) await onNoneLeft();
    rounds.push(held);
  }
  return rounds;
}

/** Reads the log of all processes, in its order. */
function readClaims(log: string): Readonly<Record<string, number>> {
  const held = new Map<string, readonly string[]>();
  const most = [0, 0, 0];
  const facts = { started: 0, spent: 0, startedWithoutBudget: 0 };
  const afterSpent = new Set<string>();
  for (const line of log.trimEnd().split('\n')) {
    const [what, id = '', runId = '', ...lane] = line.split(' ');
    if (what === 'try') {
      if (facts.spent * RUN_TOKENS >= BUDGET_TOKENS) afterSpent.add(id);
    } else if (what === 'start') {
      facts.started += 1;
      if (lane[0] === 'batch' && afterSpent.has(id)) facts.startedWithoutBudget += 1;
      held.set(runId, lane);
      for (const index of most.keys()) {
        const same = [...held.values()].filter((other) => other[index] === lane[index]).length;
        most[index] = Math.max(most[index] ?? 0, same);
      }
    } else if (what === 'end') held.delete(id);
    else if (what === 'spent' && id === 'batch') facts.spent += 1;
    else if (what === 'raised') {
      facts.spent = -Infinity;
      afterSpent.clear();
    }
  }
  const [mostOfOwner, mostOfRepository, mostOfAgent] = most;
  return {
    started: facts.started,
    stillHeld: held.size,
    mostOfOwner: mostOfOwner ?? 0,
    mostOfRepository: mostOfRepository ?? 0,
    mostOfAgent: mostOfAgent ?? 0,
    startedWithoutBudget: facts.startedWithoutBudget,
  };
}
