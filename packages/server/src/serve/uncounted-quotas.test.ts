import { expect, it } from 'vitest';
import type { ObservedCall } from '../models/observed-step.ts';
import type { LogFacts, ServerLog } from '../log/server-log.ts';
import { uncountedQuotas } from './uncounted-quotas.ts';

const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
const CALL: ObservedCall = {
  model: 'local:m',
  outcome: 'stop',
  usage: undefined,
  durationMs: 1,
  origin: { ownerId: 'anna' },
};

function warned(limits: object, ...calls: readonly Partial<ObservedCall>[]): readonly unknown[] {
  const found: unknown[] = [];
  const nothing = (): void => undefined;
  const warn = (_message: string, facts: LogFacts = {}): void => void found.push(facts['limit']);
  const log: ServerLog = { debug: nothing, info: nothing, warn, error: nothing };
  const observe = uncountedQuotas({ perOwner: limits }, log);
  for (const call of calls) observe({ ...CALL, ...call });
  return found;
}

it('warns once for each model and limit', () => {
  expect(warned({ tokens: 5 }, {}, {}, { model: 'local:n' })).toEqual(['tokens', 'tokens']);
  expect(warned({ costUsd: 5 }, {}, { usage })).toEqual(['costUsd']);
});

it('does not warn about counted calls, failed ones, and owners without such a limit', () => {
  expect(warned({ tokens: 5 }, { usage }, { outcome: 'failed' }, { outcome: 'interrupted' })).toEqual([]);
  expect(warned({ turns: 5 }, {})).toEqual([]);
  expect(warned({ costUsd: 5 }, { usage: { ...usage, costUsd: 0 } })).toEqual([]);
  expect(warned({ tokens: 5 }, { origin: {} })).toEqual([]);
});
