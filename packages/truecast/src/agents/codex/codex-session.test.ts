import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { codex } from './codex.ts';
import { transferCodexSession, findCodexSessionOnHost } from './codex-session.ts';
import { putFile, sandboxWithHome } from '../sessions/test-sandbox-home.ts';

const PARENT = '01a1fca5-f3f2-7ea3-acf4-aab58886872c';
const FORK = '01a1fca6-7f40-7df1-8229-7cacbaa09a23';
const CWD = '/home/agent/work';

let root: string;
let home: string;
let hostSessions: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'truecast-session-'));
  home = join(root, 'home');
  hostSessions = join(root, 'host-sessions');
});

afterEach(() => rm(root, { recursive: true }));

function rollout(id: string): string {
  return `2026/11/21/rollout-2026-11-21T05-48-16-${id}.jsonl`;
}

function session(id: string, cwd: string, parent?: string): string {
  const meta = {
    id,
    cwd,
    runtime_workspace_roots: [cwd, '/other'],
    ...(parent !== undefined && { forked_from_id: parent }),
  };
  const settings = { type: 'thread_settings_applied', thread_settings: { cwd: `${cwd}/sub` } };
  const usage = {
    input_tokens: 100,
    cached_input_tokens: 20,
    cache_write_input_tokens: 0,
    output_tokens: 30,
  };
  return [
    { type: 'session_meta', payload: meta },
    { type: 'event_msg', payload: settings },
    { type: 'turn_context', payload: { cwd } },
    { type: 'response_item', payload: { type: 'function_call', arguments: '{"cwd":"/x"}' } },
    { type: 'event_msg', payload: { type: 'token_count', info: { total_token_usage: usage } } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

const locate = (sessionId: string) => ({
  hostCwd: '/repo',
  sandboxCwd: CWD,
  sessionId,
  handle: sandboxWithHome(home, CWD),
});
const inSandbox = (id: string): string => join(home, '.codex', 'sessions', rollout(id));
const create = () => codex(undefined, { sessionStorage: { hostSessionsDir: hostSessions } });

test('rewrites each field of a rollout that names the directory, and nothing else', () => {
  expect(transferCodexSession(session(PARENT, '/from'), '/from', '/to')).toBe(session(PARENT, '/to'));
  expect(transferCodexSession(session(PARENT, '/from-other'), '/from', '/to')).toBe(
    session(PARENT, '/from-other'),
  );
  expect(transferCodexSession('{"cwd":"/from"}\nno JSON /from', '/from', '/to')).toBe(
    '{"cwd":"/to"}\nno JSON /from',
  );
});

test('captures a fork together with the parent that it cannot be resumed without', async () => {
  await putFile(inSandbox(PARENT), session(PARENT, CWD));
  await putFile(inSandbox(FORK), session(FORK, CWD, PARENT));
  const path = await create().sessionStorage.captureToHost(locate(FORK));
  expect(path).toBe(join(hostSessions, rollout(FORK)));
  expect(await readFile(path, 'utf8')).toBe(session(FORK, '/repo', PARENT));
  expect(await readFile(join(hostSessions, rollout(PARENT)), 'utf8')).toBe(session(PARENT, '/repo'));
});

test('resumes a fork together with its parent', async () => {
  await putFile(join(hostSessions, rollout(PARENT)), session(PARENT, '/repo'));
  await putFile(join(hostSessions, rollout(FORK)), session(FORK, '/repo', PARENT));
  await create().sessionStorage.resumeIntoSandbox(locate(FORK));
  expect(await readFile(inSandbox(FORK), 'utf8')).toBe(session(FORK, CWD, PARENT));
  expect(await readFile(inSandbox(PARENT), 'utf8')).toBe(session(PARENT, CWD));
});

test('a session that names itself as its parent ends', async () => {
  await putFile(join(hostSessions, rollout(FORK)), session(FORK, '/repo', FORK));
  await create().sessionStorage.resumeIntoSandbox(locate(FORK));
  expect(await readFile(inSandbox(FORK), 'utf8')).toBe(session(FORK, CWD, FORK));
});

test('a missing session or parent is a SandboxError that names it', async () => {
  const { sessionStorage } = create();
  await expect(sessionStorage.captureToHost(locate(PARENT))).rejects.toThrow(SandboxError);
  await putFile(join(hostSessions, rollout(FORK)), session(FORK, '/repo', PARENT));
  await expect(sessionStorage.resumeIntoSandbox(locate(FORK))).rejects.toThrow(PARENT);
});

test('finds a session by its whole id, whatever day it was made', async () => {
  const path = join(hostSessions, rollout(PARENT));
  await putFile(path, 'x');
  await putFile(join(hostSessions, rollout(PARENT).replace('.jsonl', '.txt')), 'x');
  expect(await findCodexSessionOnHost(PARENT, hostSessions)).toEqual({ path, searchedRoot: hostSessions });
  expect((await findCodexSessionOnHost(PARENT.slice(9), hostSessions)).path).toBeUndefined();
  expect((await findCodexSessionOnHost('../x', hostSessions)).path).toBeUndefined();
  expect((await findCodexSessionOnHost(PARENT, join(root, 'none'))).path).toBeUndefined();
});

test.each(['findByIdOnHost', 'resumeIntoSandbox'] as const)(
  '%s tells what the thread had used before',
  async (how) => {
    await putFile(join(hostSessions, rollout(PARENT)), session(PARENT, '/repo'));
    const agent = create();
    if (how === 'findByIdOnHost') await agent.sessionStorage.findByIdOnHost(PARENT);
    else await agent.sessionStorage.resumeIntoSandbox(locate(PARENT));
    const parser = agent.createStreamParser({ resumeSession: PARENT });
    const usage = { input_tokens: 150, cached_input_tokens: 30, output_tokens: 40 };
    const events = parser.push(
      `{"type":"thread.started","thread_id":"${PARENT}"}\n${JSON.stringify({ type: 'turn.completed', usage })}\n`,
    );
    expect(events).toContainEqual({
      type: 'usage',
      usage: { inputTokens: 40, outputTokens: 10, cacheCreationInputTokens: 0, cacheReadInputTokens: 10 },
    });
  },
);
