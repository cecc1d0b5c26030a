/** Shared test fixtures of runs: a machine with a manual clock, and runs in each state. */
import assert from 'node:assert/strict';
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import type { Store } from '@truecast/store/internal/database/store';
import type { RunOffers } from '../agent-executor.ts';
import type { AgentRunState } from '../run-transitions.ts';
import type { RunSettings } from './run-context.ts';
import { createRunMachine, type RunMachine } from './run-machine.ts';
import type { RunFence } from './run-update.ts';

export const RUN_OWNER = 'owner-1';
export const OFFERS: RunOffers = {
  repositories: ['web'],
  agents: ['claude-code'],
  pushes: { web: 'on_success' },
};
/** Milliseconds after which a run of `EXPIRING` is canceled. */
export const EXPIRY_MS = 60_000;

/** A machine of runs with a manual clock. */
export interface TestRuns extends RunMachine {
  readonly clock: { nowMs: number };
}

export function testRuns(store: Store, settings: Partial<RunSettings> = {}): TestRuns {
  const clock = { nowMs: 1_000_000 };
  return { ...createRunMachine({ store, now: () => clock.nowMs, ...settings }), clock };
}

/** A request without a response format. */
export function runRequest(rest: Partial<CreateAgentRunBody> = {}): CreateAgentRunBody {
  return { repository: 'web', agent: 'claude-code', prompt: 'Fix it.', ...rest };
}

const EXPIRING = runRequest({ expires_after_seconds: EXPIRY_MS / 1_000 });

/** A run that is in a state, and the fence of its last worker. */
export interface TestRun {
  readonly runId: string;
  readonly fence: RunFence;
}

/** Brings a new run into a state. The queue must have no other run. */
export async function runIn(machine: TestRuns, state: AgentRunState): Promise<TestRun> {
  if (state === 'none') return { runId: 'missing', fence: { runId: 'missing', worker: 'w1', generation: 1 } };
  const { id: runId } = await machine.createRun({ owner: RUN_OWNER, request: EXPIRING });
  const owned = { owner: RUN_OWNER, runId };
  if (state === 'queued') return { runId, fence: { runId, worker: 'w1', generation: 1 } };
  await machine.beat('w1');
  const held = await machine.claimNext({ worker: 'w1', offers: OFFERS });
  assert(held?.claimed.id === runId);
  const { fence } = held;
  if (state === 'answered') await machine.note(fence, { note: { phase: 'answered' } });
  if (state === 'canceling' || state === 'canceled') await machine.requestCancel(owned);
  if (state === 'succeeded' || state === 'canceled') {
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
  }
  if (state === 'failed') await machine.endLost(fence, { reason: 'no_tree' });
  return { runId, fence };
}
