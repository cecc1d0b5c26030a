/** Tests of requests for agents: ids of tasks, and aborts. */
import { expect, it } from 'vitest';
import type { AgentRunner, AgentTask } from '../../agents/agent-runner.ts';
import { isLeft, STOPS } from '../../agents/stop-reason.ts';
import { readChatRequest } from '../read/read-chat-request.ts';
import type { WireOutcome } from '../wire/wire-answer.ts';
import type { WireRequest } from '../wire/wire-request.ts';
import { answerAgent, type AgentWatch } from './answer-agent.ts';

function ask(content: string): WireRequest {
  const body = { model: 'agent/claude-code', messages: [{ role: 'user', content }] };
  const read = readChatRequest(JSON.stringify(body), body);
  if (!read.success) throw new TypeError(read.failure.message);
  return read.request;
}

interface Asked {
  readonly outcome: WireOutcome;
  readonly task: AgentTask;
}

/** Asks a durable agent. With `stop`, the request is aborted with it. */
async function answer(
  content: string,
  watch: Partial<AgentWatch> & { readonly stop?: unknown } = {},
): Promise<Asked> {
  const request = new AbortController();
  let seen: AgentTask | undefined;
  const runner: AgentRunner = {
    isDurable: true,
    list: () => ['claude-code'],
    run: async (task) => {
      seen = task;
      if ('stop' in watch) request.abort(watch.stop);
      task.signal.throwIfAborted();
      return { text: 'Done.', runId: task.caller.taskId };
    },
  };
  const origin = { ownerId: 'anna' };
  const given = { runner, origin, signal: request.signal, responseId: 'resp_1', ...watch };
  const outcome = await answerAgent(ask(content), given);
  if (seen === undefined) throw new TypeError('No agent was asked.');
  return { outcome, task: seen };
}

const idOf = async (...args: Parameters<typeof answer>): Promise<string> =>
  (await answer(...args)).task.caller.taskId;

it('a task belongs to the owner and the response', async () => {
  const { outcome, task } = await answer('Count.');
  const parent = { id: 'resp_1', relation: 'response' };
  expect(task.caller).toMatchObject({ owner: 'anna', parent });
  expect(outcome).toMatchObject({ type: 'answered', runId: task.caller.taskId });
});

it('the same request with the same key is the same task', async () => {
  const first = await idOf('Count.', { idempotencyKey: 'k', responseId: 'resp_1' });
  expect(await idOf('Count.', { idempotencyKey: 'k', responseId: 'resp_2' })).toBe(first);
  const others = [
    await idOf('Count.', { idempotencyKey: 'l' }),
    await idOf('Sum.', { idempotencyKey: 'k' }),
    await idOf('Count.', { idempotencyKey: 'k', origin: { ownerId: 'bert' } }),
    await idOf('Count.', { responseId: 'resp_1' }),
    await idOf('Count.', { responseId: 'resp_2' }),
  ];
  expect(new Set([first, ...others]).size).toBe(6);
});

it.each([
  ['a client without a key', { stop: new DOMException('Gone.', 'AbortError') }, false],
  ['a client with a key', { stop: new DOMException('Gone.', 'AbortError'), idempotencyKey: 'k' }, true],
  ['the stop of the server', { stop: STOPS.shutdown }, true],
] as const)('after an abort by %s, the failure says if the run continues', async (_who, how, isLeftAlone) => {
  const { outcome, task } = await answer('Count.', how);
  expect(isLeft(task.signal)).toBe(isLeftAlone);
  expect(outcome).toMatchObject({ type: 'failed', failure: { status: 503, code: 'interrupted' } });
  expect(JSON.stringify(outcome).includes(task.caller.taskId)).toBe(isLeftAlone);
});
