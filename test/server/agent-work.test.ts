/**
 * Tests of the work of coding agents for the server: trace and usage of a real process, asked by
 * `/v1` and by a chat. A program that prints the lines of Claude Code stands for the paid model.
 */
import { beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { printResult, writeFakeClaude } from '../fake-claude.ts';
import { makeRepository, temporaryFolder } from '../run/fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const USAGE = { input_tokens: 40, output_tokens: 2 };

beforeEach(() => {
  const result = printResult({ total_cost_usd: 0.25, usage: USAGE, result: 'TRACE' });
  const script = `cat >/dev/null\n${result} | sed "s/TRACE/$TRACEPARENT <$TRACESTATE>/"`;
  vi.stubEnv('PATH', writeFakeClaude(temporaryFolder(), script));
  vi.stubEnv('TRACEPARENT', `00-${'a'.repeat(32)}-00f067aa0ba902b7-01`);
  vi.stubEnv('TRACESTATE', 'of=another');
});

const members = z.record(z.string(), z.unknown());

async function serve() {
  const model = await scriptedModelServer({
    script: [
      reply.tool('run_coding_agent', { agent: 'claude-code', task: 'Work' }),
      ({ toolResults }) => reply.text(String(toolResults.at(-1)?.text)),
    ],
  });
  const log: Record<string, unknown>[] = [];
  const server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: model.openaiUrl, TRUECAST_MODEL: 'scripted' },
    agents: { names: ['claude-code'], sandbox: 'none', repository: makeRepository() },
    quotas: { perOwner: { tokens: 40 } },
    onLog: (line) => log.push(members.parse(JSON.parse(line))),
  });
  const scopes = ['chats', 'metrics'] as const;
  const { token } = await server.createToken({ name: 'test', owner: 'anna', scopes });
  const trace = { traceparent: TRACEPARENT, tracestate: 'vendor=1' };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...trace };
  const send = (path: string, body?: object): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  return {
    log,
    send,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await model.close();
    },
  };
}

const completionSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })),
});

it('an agent of `/v1` continues the trace, and its usage counts in logs, metrics and quotas', async () => {
  await using server = await serve();
  const request = { model: 'agent/claude-code', messages: [{ role: 'user', content: 'Work' }] };
  const answer = completionSchema.parse(await (await server.send('/v1/chat/completions', request)).json());
  expect(answer.choices[0]?.message.content).toMatch(
    new RegExp(`^00-${TRACE}-[0-9a-f]{16}-0[01] <vendor=1>$`, 'u'),
  );
  const [line] = server.log.filter(({ event }) => event === 'model_call');
  expect(line).toMatchObject({
    owner: 'anna',
    model: 'agent/claude-code',
    trace_id: TRACE,
    outcome: 'stop',
    input_tokens: 40,
    output_tokens: 2,
    cost_usd: 0.25,
  });
  const page = await (await server.send('/metrics')).text();
  expect(page).toContain('truecast_model_tokens_total{model="agent/claude-code",kind="input"} 40');
  expect(page).toContain('truecast_model_cost_usd_total{model="agent/claude-code"} 0.25');
  await expect.poll(async () => (await server.send('/v1/chat/completions', request)).status).toBe(429);
});
