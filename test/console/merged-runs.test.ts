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
const merged = (...[one, other]: Parameters<typeof mergeRuns>): readonly string[] =>
  mergeRuns(one, other, 0).map(({ id }) => id);
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

it('shows a durable run of this repository once', () => {
  const own = kept(3, { branch: 'truecast/runs/0b0f1d3e-6f0a-4c52-9d0c-2f5f5a1f1d11' });
  expect(merged(all(own), all(), 0)).toEqual([]);
  const named = { branch: 'fix', started_at: at(2), ended_at: at(4) };
  expect(
    merged(all(kept(5, { branch: 'fix' }), kept(3, { branch: 'fix' })), all(durable(2, named)), 0),
  ).toEqual(['kept 5', 'durable 2']);
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
