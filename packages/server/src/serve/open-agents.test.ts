/** Tests of the settings of coding agents: in the process of their chat, or as durable runs. */
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import type { AgentSettings } from '../config/run-settings.ts';
import { createRunMachine } from '../runs/state/run-machine.ts';
import { openAgents } from './open-agents.ts';

const OFFERS = { repositories: ['web'], agents: ['claude-code'] };

async function openRuns(runOffers?: typeof OFFERS) {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  return { agentRuns: createRunMachine({ store }), ...(runOffers !== undefined && { runOffers }) };
}

async function open(agents: Omit<AgentSettings, 'names'>, names = ['claude-code']) {
  return openAgents({ agents: { names, ...agents } }, await openRuns(OFFERS));
}

it('are durable in a repository of the runs', async () => {
  expect(await open({ runsIn: 'web' })).toMatchObject({ isDurable: true });
});

it.each([
  [{}, /`agents.sandbox` or `agents.runsIn`/u],
  [{ runsIn: 'web', sandbox: 'none' }, /without `agents.sandbox`.*`runs.sandbox`/u],
  [{ runsIn: 'web', repository: '.' }, /without `agents.repository`.*`repositories`/u],
  [{ runsIn: 'api' }, /`repositories.api`/u],
] as const)('are refused with %j', async (settings, message) => {
  await expect(open(settings)).rejects.toThrow(message);
});

it('are refused without runs, and for an agent that runs do not have', async () => {
  const config = { agents: { names: ['claude-code'], runsIn: 'web' } };
  await expect(openAgents(config, await openRuns())).rejects.toThrow(/beside `runs`/u);
  await expect(open({ runsIn: 'web' }, ['codex'])).rejects.toThrow(/`runs.agents`, got `codex`/u);
});
