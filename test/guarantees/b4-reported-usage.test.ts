/** Tests of B4: services and agents that report no usage, without and with a budget. */
import { expect } from 'vitest';
import { makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { ANSWER } from './played-reply.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { runAsJob } from './routes/job-route.ts';
import { MODEL_ROUTES, type ModelQuestion, type ModelRouteName } from './routes/model-routes.ts';
import { startUncountedService } from './uncounted-service.ts';

const EVENT = '{"kind":"agent.spoke","text":"Forty-two gulls sit on the pier."}';
/** A count of tokens in an event, a receipt, a body of the wire, or a shown result. */
const COUNTED = /(?:input|output|prompt|completion|total)_?tokens"?\s*:|"?usage"?\s*:\s*\{|"tokens"\s*:/iu;

async function leaveUsageOut(route: ModelRouteName, budget: Partial<ModelQuestion>): Promise<string> {
  const right = route === 'ensemble' || route === 'command' ? EVENT : ANSWER;
  for (const form of ['absent', 'zeros'] as const) {
    await using service = await startUncountedService(right, form);
    const { hasTools = false } = budget;
    const outcome = await MODEL_ROUTES[route]({ serviceUrl: service.url, hasTools });
    expect(outcome.isAccepted, outcome.output).toBe(true);
    expect(outcome.output, form).not.toMatch(COUNTED);
  }
  // A second call would be paid for without the limit.
  await using service = await startUncountedService(
    route === 'generate' ? '{"answer":"x"}' : right,
    'absent',
  );
  const limited = await MODEL_ROUTES[route]({ serviceUrl: service.url, ...budget });
  expect(service.requests).toBe(1);
  return `${limited.message}\n${limited.output}`;
}

const AGENT_ROUTE_NAMES = ['run/none', 'run/bubblewrap', 'run/podman', 'kept', 'batch'] as const;

async function warnOfAgent(route: (typeof AGENT_ROUTE_NAMES)[number]): Promise<void> {
  const outcome = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: 'echo done',
    options: { budget: { tokens: 50 } },
  });
  expect(outcome.isAccepted, outcome.output).toBe(true);
  expect(outcome.output).not.toMatch(COUNTED);
  expect(outcome.warnings.join('\n')).toContain('`budget.tokens` does not include this turn');
}

async function warnOfRun(): Promise<void> {
  const limits = { tokens: 50 };
  const outcome = await runAsJob({ repository: makeRepository(), script: 'echo done', limits });
  expect(outcome.isAccepted, outcome.output).toBe(true);
  expect(outcome.output).not.toMatch(COUNTED);
  expect(outcome.warnings.join('\n')).toContain('`budget.tokens` does not include this turn');
}

declareGuarantee('B4', {
  'run/none': () => warnOfAgent('run/none'),
  'run/bubblewrap': () => warnOfAgent('run/bubblewrap'),
  'run/podman': () => warnOfAgent('run/podman'),
  kept: () => warnOfAgent('kept'),
  batch: () => warnOfAgent('batch'),
  generate: async () => {
    for (const hasTools of [false, true]) {
      const told = await leaveUsageOut('generate', { budget: { tokens: 1_000 }, count: 3, hasTools });
      expect(told).toContain('`budget` cannot be counted');
    }
  },
  ensemble: async () => {
    expect(await leaveUsageOut('ensemble', { tokens: 1_000 })).toContain('"uncounted"');
  },
  chat: async () => {
    const told = await leaveUsageOut('chat', { quota: { tokens: 1_000 } });
    expect(told).toContain('"event":"quota_uncounted"');
  },
  wire: async () => {
    const told = await leaveUsageOut('wire', { quota: { tokens: 1_000 } });
    expect(told).toContain('"event":"quota_uncounted"');
  },
  runs: inBubblewrap(warnOfRun),
  command: async () => {
    expect(await leaveUsageOut('command', { tokens: 1_000 })).toContain('"uncounted"');
  },
});
