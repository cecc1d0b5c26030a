/** Tests of pure functions of the pages of runs: one list of both kinds, and the events of both. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { AgentRunView } from '../../packages/client/src/wire/runs/agent-run.ts';
import type { AgentRunEvent } from '../../packages/client/src/wire/runs/agent-run-event.ts';
import type { KeptRunView } from '../../packages/client/src/wire/kept-run.ts';
import { NO_EVENTS, withStreamed } from '../../web/src/runs/model/followed-events.ts';
import { mergeRuns } from '../../web/src/runs/list/merge-runs.ts';
import { progressOf, rowOfDurable } from '../../web/src/runs/model/shown-run.ts';
import { repeatCommand } from '../../web/src/runs/model/repeat-command.ts';

const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

const kept = (minute: number, rest: Partial<KeptRunView> = {}): KeptRunView => ({
  id: `kept ${minute}`,
  status: 'valid',
  code: 'ok',
  agent: 'codex',
  sandbox: 'bubblewrap',
  attempts: [],
  commits: [],
  started_at: at(minute),
  duration_ms: 1,
  prompt_preview: 'x',
  ...rest,
});
const durable = (minute: number, rest: Partial<AgentRunView> = {}): AgentRunView => ({
  id: `durable ${minute}`,
  status: 'succeeded',
  repository: 'web',
  agent: 'codex',
  branch: 'fix',
  priority: 0,
  executions: 1,
  prompt_preview: 'x',
  version: 1,
  created_at: at(minute),
  ...rest,
});
const merged = (...read: Parameters<typeof mergeRuns>): readonly string[] =>
  mergeRuns(...read).map(({ id }) => id);
const all = <Run>(...runs: readonly Run[]): { readonly runs: readonly Run[]; readonly hasMore: boolean } => ({
  runs,
  hasMore: false,
});

it('lists both kinds by time, the newest first', () => {
  expect(merged(all(kept(3), kept(1)), all(durable(4), durable(2)), 0)).toEqual([
    'durable 4',
    'kept 3',
    'durable 2',
    'kept 1',
  ]);
});

it('shows no run below an unread page, where one of the other kind can be', () => {
  const cut = { runs: [durable(4), durable(2)], hasMore: true };
  expect(merged(all(kept(3), kept(1)), cut, 0)).toEqual(['durable 4', 'kept 3', 'durable 2']);
  const both = { runs: [kept(3)], hasMore: true };
  expect(merged(both, cut, 0)).toEqual(['durable 4', 'kept 3']);
});

it('lists both kinds by a number in either direction, up to an unread page', () => {
  const usage = (cost_usd: number): Pick<KeptRunView, 'usage'> => ({
    usage: {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cost_usd,
    },
  });
  const dear = { runs: [kept(1, usage(3)), kept(5, usage(1))], hasMore: true };
  const cheap = [durable(4, usage(2)), durable(3, usage(0.5))];
  const cost = { sort: 'cost' } as const;
  expect(merged(dear, all(...cheap), 0, cost)).toEqual(['kept 1', 'durable 4', 'kept 5']);
  const rising = { sort: 'cost', direction: 'asc' } as const;
  const fromSmallest = { runs: [durable(3, usage(0.5)), durable(4, usage(2))], hasMore: true };
  expect(merged(all(kept(5, usage(1)), kept(1, usage(3))), fromSmallest, 0, rising)).toEqual([
    'durable 3',
    'kept 5',
    'durable 4',
  ]);
  const tried = (count: number): Pick<AgentRunView, 'attempt_count'> => ({ attempt_count: count });
  const attempt = { code: 'ok', message: 'valid' };
  expect(
    merged(
      all(kept(9, { attempts: [attempt, attempt] })),
      all(durable(1, tried(3)), durable(2, tried(1))),
      0,
      {
        sort: 'attempts',
      },
    ),
  ).toEqual(['durable 1', 'kept 9', 'durable 2']);
  const ran = { started_at: at(1), ended_at: at(2) };
  expect(
    merged(all(kept(9, { duration_ms: 61_000 })), all(durable(1, ran)), 0, { sort: 'duration' }),
  ).toEqual(['kept 9', 'durable 1']);
});

it('shows a durable run of this repository once', () => {
  const own = kept(3, { branch: 'truecast/runs/0b0f1d3e-6f0a-4c52-9d0c-2f5f5a1f1d11' });
  expect(merged(all(own), all(), 0)).toEqual([]);
  const copy = kept(3, { branch: 'fix', run_id: 'durable 2' });
  const other = kept(5, { branch: 'fix' });
  expect(merged(all(other, copy), all(durable(2, { branch: 'fix' })), 0)).toEqual(['kept 5', 'durable 2']);
  // Also by a number, while its page is not read.
  const unread = { runs: [durable(9, { attempt_count: 3 })], hasMore: true };
  const tried = { attempts: Array.from({ length: 5 }, () => ({ code: 'ok', message: 'valid' })) };
  const order = { sort: 'attempts' } as const;
  expect(merged(all({ ...copy, ...tried }), unread, 0, order)).toEqual(['durable 9']);
  expect(merged(all(kept(3, { run_id: 'durable 2' })), all(), 0)).toEqual([]);
});

it('says what a run waits for, does, and why it failed', () => {
  expect(progressOf(durable(1, { status: 'queued', waits_for: 'agent_limit' }))).toContain('its agent');
  expect(progressOf(durable(1, { status: 'queued' }))).toContain('a free worker');
  expect(progressOf(durable(1, { status: 'running', phase: 'preparing' }))).toContain('worktree');
  expect(progressOf(durable(1))).toBeUndefined();
  const error = { code: 'agent_failed', message: 'Retry.', detail: 'It exited.' } as const;
  expect(rowOfDurable(durable(1, { status: 'failed', error }), 0)).toMatchObject({
    status: 'failed',
    failure: { message: 'It exited.', next: 'Retry.', attempts: 0 },
  });
  const own = { code: 'canceled', message: 'Canceled.' } as const;
  expect(rowOfDurable(durable(1, { status: 'canceled', error: own }), 0).failure).not.toHaveProperty('next');
});

it('is valid with a value, and done with a text', () => {
  expect(rowOfDurable(durable(1, { value_preview: '1' }), 0).status).toBe('valid');
  expect(rowOfDurable(durable(1), 0).status).toBe('done');
  const running = durable(1, { status: 'running', started_at: at(1) });
  expect(rowOfDurable(running, Date.parse(at(3)))).toMatchObject({ status: 'live', duration_ms: 120_000 });
});

it('collects text, attempts and commits from the events of a stream, up to its receipt', () => {
  const usage = {
    input_tokens: 1_200,
    output_tokens: 30,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const events: readonly AgentRunEvent[] = [
    { type: 'status', status: 'running', phase: 'working', at: at(1) },
    { type: 'text', text: 'a', at: at(1) },
    { type: 'tool_call', name: 'Bash', at: at(1) },
    { type: 'text', text: 'b', at: at(1) },
    { type: 'attempt', number: 1, attempt: { code: 'ok', message: 'valid' }, at: at(1) },
    { type: 'commit', sha: 'c1', at: at(1) },
    { type: 'usage', usage, at: at(1) },
    { type: 'warning', message: 'w', at: at(1) },
  ];
  const state = withStreamed(
    withStreamed(
      NO_EVENTS,
      events.slice(0, 2).map((event, index) => ({ id: `${index}`, event })),
    ),
    events.slice(2).map((event, index) => ({ id: `${index + 2}`, event })),
  );
  expect(state).toMatchObject({
    text: 'a\n\nb',
    attempts: [{ code: 'ok', message: 'valid' }],
    commits: ['c1'],
    warnings: ['w'],
    state: 'running working',
    usage,
    isComplete: false,
  });
  expect(state.events.map(({ type, text }) => (type === 'usage' ? text : type))).toEqual([
    'state',
    'text',
    'tool_call',
    'text',
    'attempt',
    'commit',
    '1,200 in, 30 out',
    'warning',
  ]);
});

it('quotes a prompt so that a shell passes it on unchanged', () => {
  const prompt = `--help 'me' "$(rm x)" \`id\`\n!`;
  const command = repeatCommand(prompt, 'codex').replace(
    'npx --no truecast run --agent codex -- ',
    "printf '%s' ",
  );
  expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' })).toBe(prompt);
});
