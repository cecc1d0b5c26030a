import { expect, it } from 'vitest';
import { decideExecution, type ExecutionDecision, type ExecutionFacts } from './decide-execution.ts';

const FACTS: ExecutionFacts = {
  phase: 'working',
  hasSession: false,
  isContained: false,
  restarts: false,
  branch: 'present',
};

it.each<[ExecutionDecision, Partial<ExecutionFacts>]>([
  ['start', { phase: undefined }],
  ['start', { phase: 'opened' }],
  ['resume', { hasSession: true }],
  ['resume', { hasSession: true, restarts: true }],
  ['restart', { isContained: true }],
  ['restart', { restarts: true }],
  ['refuse', {}],
  ['land', { phase: 'answered' }],
  ['return', { phase: 'answered', branch: 'landed' }],
  ['refuse', { phase: 'answered', branch: 'missing' }],
  ['refuse', { phase: 'answered', branch: 'missing', restarts: true }],
  ['return', { phase: 'ended', branch: 'missing' }],
])('decides to %s with %j', (decision, facts) => {
  expect(decideExecution({ ...FACTS, ...facts })).toBe(decision);
});
