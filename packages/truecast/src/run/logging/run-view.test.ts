import { expect, test } from 'vitest';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import type { LifecycleEvent, RunEvent } from '../events/run-events.ts';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { createRunView, type RunView } from './run-view.ts';

const SECRET = 'sk-a-secret-of-many-letters';

interface Scene {
  readonly view: RunView;
  readonly clock: { ms: number };
  /** Applies events and returns the finished steps. */
  tell(...events: (AgentEvent | LifecycleEvent)[]): unknown[];
}

function scene(rounds: { maxAttempts?: number; maxIterations?: number } = {}): Scene {
  const clock = { ms: 1_000 };
  const mask = createSecretMask([SECRET]);
  const view = createRunView({ mask, maxAttempts: 1, maxIterations: 1, ...rounds, now: () => clock.ms });
  const stamp = (event: AgentEvent | LifecycleEvent): RunEvent => ({
    iteration: 1,
    ...event,
    timestamp: new Date(0),
  });
  return { view, clock, tell: (...events) => events.flatMap((event) => view.apply(stamp(event))) };
}

const usage = {
  inputTokens: 1_000,
  outputTokens: 200,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 34,
  costUsd: 0.0123,
};

test("shows the agent's activity, duration and cost", () => {
  const { view, clock, tell } = scene();
  clock.ms += 61_500;
  tell({ type: 'usage', usage }, { type: 'tool-call', name: 'Bash', input: { command: 'npm test' } });
  expect(view.describe()).toBe('1m01s · 1 call · 1.2k tokens · $0.012 · Bash npm test');
});

test('shows text that arrives in pieces, and the attempt number', () => {
  const { view, tell } = scene({ maxAttempts: 3 });
  tell(
    { type: 'iteration-start', iteration: 2, attempt: 2 },
    { type: 'text', text: 'old line\n' },
    { type: 'text', text: 'I will ' },
    { type: 'text', text: 'run' },
  );
  expect(view.describe()).toBe('0s · attempt 2/3 · I will run');
});

test('adds up the usage of processes one after another', () => {
  const { view, tell } = scene({ maxIterations: 2 });
  tell({ type: 'usage', usage }, { type: 'usage', usage });
  tell({ type: 'iteration-start', iteration: 2, attempt: 1 }, { type: 'usage', usage });
  expect(view.describe()).toBe('0s · iteration 2/2 · 2.5k tokens · $0.025 · waiting for the agent');
});

test('ends a tool with how it went and how long it took, also of several at once', () => {
  const { view, clock, tell } = scene();
  tell({ type: 'tool-call', id: 'a', name: 'Read', input: { file_path: 'x.ts' } });
  clock.ms += 500;
  tell({ type: 'tool-call', id: 'b', name: 'Bash', input: { command: ['npm', 'test'] } });
  clock.ms += 1_000;
  expect(tell({ type: 'tool-result', id: 'a', output: '', isError: false })).toEqual([
    { kind: 'done', text: 'Read x.ts', suffix: '1.5s' },
  ]);
  expect(view.describe()).toContain('Bash npm test');
  expect(tell({ type: 'tool-result', id: 'b', output: 'log\nfailed: 3\n', isError: true })).toEqual([
    { kind: 'failed', text: 'Bash npm test: failed: 3', suffix: '1.0s' },
  ]);
  expect(tell({ type: 'tool-result', id: 'c', output: '', isError: true })).toEqual([]);
});

test('ends a message with its first line, a retry with its reason, a commit with its hash', () => {
  const { tell } = scene();
  expect(
    tell(
      { type: 'text', text: 'First, ' },
      { type: 'usage', usage },
      { type: 'text', text: 'the tests.\nThen' },
      { type: 'attempt-end', attempt: 1, code: 'schema-mismatch', message: 'The answer is wrong.' },
      { type: 'commits', commits: [{ sha: '0123456789abcdef' }] },
      { type: 'attempt-end', attempt: 2, code: 'ok', message: '' },
      { type: 'warning', message: 'slow' },
    ),
  ).toEqual([
    { kind: 'said', text: 'First, the tests.' },
    { kind: 'failed', text: 'attempt 1: The answer is wrong.' },
    { kind: 'done', text: 'commit 0123456789' },
    { kind: 'done', text: 'answer valid' },
    { kind: 'warning', text: 'warning: slow' },
  ]);
});

test('shows no secret, not even the beginning of one', () => {
  const { view, tell } = scene();
  const shown: unknown[] = [];
  for (const char of `The key is ${SECRET}.`) {
    shown.push(...tell({ type: 'text', text: char }), view.describe());
  }
  shown.push(
    ...tell(
      { type: 'tool-call', id: 'a', name: 'Bash', input: { command: `curl -H ${SECRET}` } },
      { type: 'tool-result', id: 'a', output: SECRET, isError: true },
      { type: 'error', message: SECRET },
    ),
    view.describe(),
  );
  expect(JSON.stringify(shown)).not.toContain('sk-a');
  expect(JSON.stringify(shown)).toMatch(/The key is \*{27}\./u);
});

test("removes terminal control sequences from the agent's output", () => {
  const { view, tell } = scene();
  const evil = '\u001B]0;owned\u0007\u001B[2J\u202Eevil';
  const shown = [
    ...tell(
      { type: 'tool-call', id: evil, name: evil, input: { command: evil } },
      { type: 'tool-result', id: evil, output: evil, isError: true },
      { type: 'text', text: evil },
    ),
    view.describe(),
    ...tell(
      { type: 'run-start', agent: evil, sandbox: evil, branch: evil, worktreePath: evil },
      { type: 'error', message: evil },
    ),
  ];
  // eslint-disable-next-line no-control-regex -- what must not be there
  expect(shown.map((each) => JSON.stringify(each)).join('')).not.toMatch(/\\u001b|\\u0007|\u202E/u);
  expect(JSON.stringify(shown)).toContain('evil');
});

test('names the limits that the sandbox does not enforce', () => {
  const { tell } = scene();
  const ready = { type: 'sandbox-ready', egress: 'none', enforcesEgress: true } as const;
  expect(tell({ ...ready, unenforcedLimits: ['processes', 'memory'] })).toEqual([
    { kind: 'note', text: 'egress: none' },
    { kind: 'note', text: 'limits not enforced: processes, memory' },
  ]);
  expect(tell({ ...ready, unenforcedLimits: [] })).toHaveLength(1);
});
