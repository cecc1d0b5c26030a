/**
 * Coding agents of chats as durable runs: a server that is killed or stopped while the agent works, and a turn that is
 * interrupted. The server, the worker of runs, git and the sandbox are real. The model and the agent are scripted.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { serve, type RunningServer } from '../cli/serve-fixture.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { describeOnBothStores, type StoreFixture } from '../describe-on-both-stores.ts';
import { printResult, printText, writeFakeClaude } from '../fake-claude.ts';
import { itWhole, matrixCases, matrixColumns } from '../matrix.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';

vi.setConfig({ testTimeout: 120_000 });

const PATIENCE = { timeout: 30_000, interval: 100 };

/** Commits `half`. The first start in a worktree then waits to be killed. The next one commits `rest`. */
const CLAUDE = `cat > /dev/null
commit() { git cat-file -e "HEAD:$1" 2> /dev/null || { echo 1 > "$1" && git add "$1" && git commit -q -m "$1" >&2; }; }
git commit -q --allow-empty -m start >&2
commit half
[ -e waits ] || { : > waits; ${printText('I wait.\n')}; sleep 600; }
rm waits
commit rest
${printResult({ structured_output: { answer: 7 } })}`;

/** Calls of the official client. */
const APIS = ['chat.completions', 'responses'] as const;

const SCHEMA = { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'] };

const runSchema = z.object({
  id: z.string(),
  status: z.string(),
  executions: z.number(),
  parent_id: z.string(),
  relation: z.string(),
});
const runsSchema = z.object({ runs: z.array(runSchema) });
const chatSchema = z.object({ chat: z.object({ id: z.string() }) });
const messagesSchema = z.object({
  messages: z.array(z.object({ content: z.array(z.record(z.string(), z.unknown())) })),
});

async function openWorld({ freshUrl }: StoreFixture) {
  const repository = makeRepository();
  const folder = temporaryFolder();
  const config = {
    models: ['local:scripted'],
    repositories: { web: { path: repository } },
    runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
    agents: { names: ['claude-code'], runsIn: 'web' },
  };
  writeFileSync(join(folder, 'truecast.config.ts'), `export default ${JSON.stringify(config)};\n`);
  const model = await scriptedModelServer({
    script: ({ toolResults }) =>
      toolResults.length === 0
        ? reply.tool('run_coding_agent', { agent: 'claude-code', task: 'Count.', schema: SCHEMA })
        : reply.text('Done.'),
  });
  const url = await freshUrl();
  const env = {
    TRUECAST_BASE_URL: model.openaiUrl,
    PATH: writeFakeClaude(temporaryFolder(), CLAUDE),
  };
  return {
    model,
    url,
    start: () => serve(folder, ['--database-url', url], env),
    subjects: (runId: string) =>
      git(repository, 'log', '--reverse', '--format=%s', `truecast/runs/${runId}`).split('\n').slice(1),
    [Symbol.asyncDispose]: () => model.close(),
  };
}

/** Creates a chat, and waits until its agent works. */
async function delegate(server: RunningServer): Promise<{ readonly chatId: string; readonly runId: string }> {
  const { chat } = chatSchema.parse(await server.ask('/api/chats', { content: 'Go' }));
  return { chatId: chat.id, runId: await workingRun(server, 'chat') };
}

/** Waits until the agent of the only other open run of this kind works. */
async function workingRun(
  server: RunningServer,
  relation: 'chat' | 'response',
  known: readonly string[] = [],
): Promise<string> {
  const [run] = await vi.waitUntil(async () => {
    const { runs } = await listRuns(server);
    const open = runs.filter(({ status }) => status === 'queued' || status === 'running');
    const others = open.filter((each) => each.relation === relation && !known.includes(each.id));
    return others.length > 0 ? others : undefined;
  }, PATIENCE);
  const runId = run?.id ?? '';
  const reading = new AbortController();
  const { body } = await fetch(`${server.url}/api/runs/${runId}/stream`, {
    headers: { authorization: `Bearer ${server.token}` },
    signal: reading.signal,
  });
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('I wait.')) break;
  }
  reading.abort();
  return runId;
}

async function listRuns(server: RunningServer, query = ''): Promise<z.infer<typeof runsSchema>> {
  return runsSchema.parse(await server.ask(`/api/runs${query}`));
}

/** Returns the parts of a type in the history of a chat. */
async function partsOf(
  server: RunningServer,
  chatId: string,
  type: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { messages } = messagesSchema.parse(await server.ask(`/api/chats/${chatId}/messages`));
  return messages.flatMap(({ content }) => content).filter((part) => part['type'] === type);
}

/** Waits for the end of the turn, and returns the tool results. */
async function resultsOf(server: RunningServer, chatId: string): Promise<readonly unknown[]> {
  await vi.waitFor(async () => {
    expect(await server.ask(`/api/chats/${chatId}`)).toMatchObject({ status: 'waiting' });
  }, PATIENCE);
  return (await partsOf(server, chatId, 'tool_result')).map(({ result }) => result);
}

describeOnBothStores('an agent of a chat', (fixture) => {
  describeInBubblewrap('as a durable run', () => declareAgents(fixture));
});

function declareAgents(fixture: StoreFixture): void {
  const isFirst = fixture.row === 0;
  const signals = matrixColumns(fixture.row, ['SIGKILL', 'SIGTERM'] as const, { rows: 2 });
  it.each(
    signals.map((signal) => ({
      signal,
      // One server for these and the chat: a start takes longer than an agent.
      ...(isFirst && signal === 'SIGKILL'
        ? { apis: matrixCases(1, APIS), agents: 'of a chat, and of the official client with a key' }
        : { apis: [], agents: 'of a chat' }),
    })),
  )('ends once, although its server gets $signal: $agents', async ({ signal, apis }) => {
    await using world = await openWorld(fixture);
    await using first = await world.start();
    if (apis.length > 0) await expectStopped(first);
    const before = world.model.turns.length;
    const { chatId, runId } = await delegate(first);
    const responses: string[] = [];
    for (const api of apis) {
      void create(first, api).catch(() => undefined);
      responses.push(await workingRun(first, 'response', responses));
    }
    await first.end(signal);

    await using second = await world.start();
    const branch = `truecast/runs/${runId}`;
    expect(await resultsOf(second, chatId)).toMatchObject([{ answer: { answer: 7 }, run_id: runId, branch }]);
    expect(world.model.turns).toHaveLength(before + 2);
    const ended = { id: runId, status: 'succeeded', executions: 2 };
    const ofChat = { ...ended, parent_id: chatId, relation: 'chat' };
    for (const [index, api] of apis.entries()) {
      const { text, answer } = await create(second, api);
      expect(text).toBe('{"answer":7}');
      const id = responses[index] ?? '';
      expect(answer).toMatchObject({ truecast: { run_id: id, branch: `truecast/runs/${id}` } });
    }
    const { runs } = await listRuns(second);
    const ofApis = responses.map((id) => ({ ...ended, id, relation: 'response' }));
    expect(runs.filter(({ status }) => status !== 'canceled')).toMatchObject([
      ...ofApis.toReversed(),
      ofChat,
    ]);
    expect(world.subjects(runId)).toEqual(['start', 'half', 'start', 'rest']);
  });

  if (!isFirst) return;

  itWhole('is stopped if its turn is interrupted while no server runs', async () => {
    await using world = await openWorld(fixture);
    await using first = await world.start();
    const { chatId, runId } = await delegate(first);
    await first.end('SIGKILL');
    const store = await fixture.open(world.url);
    const { owner } = await store.db.selectFrom('chats').select('owner').executeTakeFirstOrThrow();
    await createChatMachine({ store }).interrupt({ owner, chatId });
    await store.close();

    await using second = await world.start();
    expect(await second.ask(`/api/runs/${runId}?wait=30`)).toMatchObject({ status: 'canceled' });
    expect(world.model.turns).toHaveLength(1);
  });
}

/** An agent is stopped with its turn, and that of `/v1` if its client without a key disconnects. */
async function expectStopped(server: RunningServer): Promise<void> {
  const { chatId, runId } = await delegate(server);
  expect(await partsOf(server, chatId, 'tool_call')).toMatchObject([{ run_id: runId }]);
  await server.ask(`/api/chats/${chatId}/interrupt`, {});
  const [result] = await resultsOf(server, chatId);
  expect(result).toContain(`\`truecast/runs/${runId}\``);
  const run = await server.ask(`/api/runs/${runId}?wait=30`);
  expect(run).toMatchObject({
    status: 'canceled',
    receipt: { commits: [expect.any(String), expect.any(String)] },
  });

  const client = new AbortController();
  const lost = request(server, {}, client.signal).catch(() => undefined);
  const other = await workingRun(server, 'response');
  client.abort();
  await lost;
  expect(await server.ask(`/api/runs/${other}?wait=30`)).toMatchObject({ status: 'canceled' });
}

/** Asks an agent with the official client, and with a key. */
async function create(
  { url, token }: RunningServer,
  api: (typeof APIS)[number],
): Promise<{ readonly text: string | null | undefined; readonly answer: object }> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  const options = { headers: { 'idempotency-key': `count-${api}` } };
  const model = 'agent/claude-code';
  const format = { name: 'count', schema: SCHEMA };
  if (api === 'responses') {
    const text = { format: { type: 'json_schema' as const, ...format } };
    const answer = await client.responses.create({ model, input: 'Count.', text }, options);
    return { text: answer.output_text, answer };
  }
  const response_format = { type: 'json_schema' as const, json_schema: format };
  const messages = [{ role: 'user' as const, content: 'Count.' }];
  const answer = await client.chat.completions.create({ model, messages, response_format }, options);
  return { text: answer.choices[0]?.message.content, answer };
}

/** Sends a request for an agent with the OpenAI-compatible API. */
function request(
  server: RunningServer,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> {
  const response_format = { type: 'json_schema', json_schema: { name: 'count', schema: SCHEMA } };
  const messages = [{ role: 'user', content: 'Count.' }];
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'agent/claude-code', messages, response_format }),
    signal: signal ?? null,
  });
}
