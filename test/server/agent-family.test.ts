/**
 * Tests of spawned agents and the events their parent chat receives: messages, waits, lists,
 * unrelated chats, and the end of the family.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import type { ChatMachine } from '../../packages/server/src/state/chat-machine.ts';
import type { Chat } from '../../packages/server/src/state/rows/chat-records.ts';
import { agentTools } from '../../packages/server/src/tools/agent-tools.ts';
import type { ToolContext, ToolOutcome } from '../../packages/server/src/tools/server-tool.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { COUNT, submit } from './answers.ts';
import { message, OWNER, testServer, type TestServer } from './test-server.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

/** Lets a child's model continue. */
type Gate = PromiseWithResolvers<void>;

interface Family extends AsyncDisposable {
  readonly server: TestServer;
  readonly machine: ChatMachine;
  readonly parent: Chat;
  readonly gate: Gate;
  /** Calls a tool as the parent's running turn would. */
  call(name: string, input: JsonValue, context?: Partial<ToolContext>): Promise<ToolOutcome>;
  /** Spawns an agent and returns its chat. */
  spawn(prompt?: string, more?: Record<string, JsonValue>): Promise<string>;
}

/**
 * A parent whose model is silent until the test ends, so that its turn keeps running. Children
 * answer once the gate is open.
 */
async function family(child: (turn: ScriptedTurn) => ScriptedReply, wrap = same): Promise<Family> {
  const gate: Gate = Promise.withResolvers();
  const script = async (turn: ScriptedTurn): Promise<ScriptedReply> => {
    const stopped = new Promise<void>((resolve) => turn.signal.addEventListener('abort', () => resolve()));
    const isParent = turn.userText === 'Parent';
    await Promise.race(isParent ? [stopped] : [stopped, gate.promise]);
    return isParent ? reply.text('Over.') : child(turn);
  };
  const server = await testServer({ store, script });
  const machine = wrap(server.machine);
  const { chat: parent } = await machine.createChat({
    owner: OWNER,
    model: 'test:scripted',
    message: message('Parent'),
  });
  let calls = 0;
  const call: Family['call'] = async (name, input, context = {}) => {
    const tool = agentTools(machine, parent).find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new TypeError(`no tool ${name}`);
    calls += 1;
    return tool.run(input, {
      chatId: parent.id,
      workspaceId: parent.id,
      ownerId: OWNER,
      messageId: 2,
      toolCallId: `call-${calls}`,
      signal: new AbortController().signal,
      whileWaiting: (wait) => wait(),
      ...context,
    });
  };
  const spawn: Family['spawn'] = async (prompt = 'Child', more = {}) => {
    const { result } = await call('spawn_agent', { prompt, ...more });
    return String(Reflect.get(Object(result), 'chat_id'));
  };
  const dispose = async (): Promise<void> => {
    await machine.deleteChat({ owner: OWNER, chatId: parent.id }).catch(() => undefined);
    await server[Symbol.asyncDispose]();
  };
  return { server, machine, parent, gate, call, spawn, [Symbol.asyncDispose]: dispose };
}

const same = (machine: ChatMachine): ChatMachine => machine;
const echo = ({ userText }: ScriptedTurn): ScriptedReply => reply.text(`Heard: ${userText}`);
const typed = {
  response_format: { type: 'json_schema', json_schema: { name: 'count', schema: { ...COUNT } } },
};

it('a message runs after the current turn of the agent, and the report is of the last turn', async () => {
  await using at = await family(echo);
  const id = await at.spawn('First');
  expect(await at.call('message_agent', { chat_id: id, message: 'Second' })).toEqual({
    result: { chat_id: id },
    isError: false,
  });
  at.gate.resolve();
  const waited = await at.call('wait_agent', { chat_id: id });
  expect(waited.result).toEqual({ chat_id: id, status: 'ended', report: 'Heard: Second' });
  const heard = at.server.scripted.turns.map(({ userText }) => userText).filter((text) => text !== 'Parent');
  expect(heard).toEqual(['First', 'Second']);
});

it('a wait that times out reports it, and the next one returns the answer', async () => {
  await using at = await family(() => submit('{"output":{"n":7}}'));
  const id = await at.spawn('Count', typed);
  expect(await at.call('wait_agent', { chat_id: id, timeout_seconds: 0 })).toMatchObject({
    result: { chat_id: id, timed_out: true },
    isError: false,
  });
  at.gate.resolve();
  const { result } = await at.call('wait_agent', { chat_id: id });
  expect(result).toEqual({ chat_id: id, status: 'succeeded', value: { n: 7 } });
});

it('digits that a parsed number would lose are returned next to the value', async () => {
  await using at = await family(() => submit('{"output":{"n":9007199254740993}}'));
  at.gate.resolve();
  const { result } = await at.call('wait_agent', { chat_id: await at.spawn('Count', typed) });
  expect(result).toMatchObject({ value_text: '{"n":9007199254740993}' });
});

it('a wait ends even if the notification of the end is lost', async () => {
  await using at = await family(echo, (machine) => ({ ...machine, onChat: () => () => undefined }));
  const id = await at.spawn();
  const waiting = at.call('wait_agent', { chat_id: id, timeout_seconds: 600 });
  at.gate.resolve();
  expect((await waiting).result).toMatchObject({ status: 'ended' });
});

it.each(['message_agent', 'wait_agent'])('%s accepts only the id of an existing child', async (name) => {
  await using at = await family(echo);
  const create = (owner: string): ReturnType<ChatMachine['createChat']> =>
    at.machine.createChat({ owner, model: 'test:scripted', message: message('Another') });
  const own = await create(OWNER);
  const foreign = await create('another');
  const deleted = await at.spawn('Deleted');
  await at.machine.deleteChat({ owner: OWNER, chatId: deleted });
  const theirs = await at.spawn('Theirs');
  const strangers = [own.chat.id, foreign.chat.id, deleted, at.parent.id, 'none'];
  for (const chat_id of strangers) {
    const outcome = await at.call(name, { chat_id, ...(name === 'message_agent' && { message: 'Hi' }) });
    expect(outcome).toMatchObject({ isError: true, result: expect.stringContaining('no such agent') });
  }
  const other = await at.call(name, { chat_id: theirs, message: 'Hi' }, { chatId: own.chat.id });
  expect(other.isError).toBe(true);
  at.gate.resolve();
});

it('an agent without a valid answer is reported as a failure with its reason', async () => {
  await using at = await family(() => reply.text('Seven, I think.'));
  at.gate.resolve();
  const outcome = await at.call('wait_agent', { chat_id: await at.spawn('Count', typed) });
  expect(outcome).toMatchObject({
    isError: true,
    result: expect.stringMatching(/no valid answer\. \S+/u),
  });
});

it('an agent whose model call fails is reported as a failure with its reason', async () => {
  await using at = await family(() => reply.error(401, { message: 'No such key.' }));
  at.gate.resolve();
  const outcome = await at.call('wait_agent', { chat_id: await at.spawn() });
  expect(outcome).toMatchObject({ isError: true, result: expect.stringMatching(/\S+/u) });
});

it('a wait continues if a message is queued behind a failure, because it will be answered', async () => {
  await using at = await family(() => reply.error(401, { message: 'No such key.' }));
  const id = await at.spawn();
  await at.call('message_agent', { chat_id: id, message: 'Second' });
  at.gate.resolve();
  const failed = (): Promise<Chat> => at.machine.readChat({ owner: OWNER, chatId: id });
  await expect.poll(failed, { timeout: 20_000 }).toMatchObject({ status: 'error', queueLength: 1 });
  const outcome = await at.call('wait_agent', { chat_id: id, timeout_seconds: 0.2 });
  expect(outcome).toEqual({ result: { chat_id: id, status: 'error', timed_out: true }, isError: false });
});

it.each<[JsonValue, RegExp]>([
  [{ type: 'json_schema' }, /response_format\.json_schema/u],
  [
    { type: 'json_schema', json_schema: { name: 'a b', schema: { type: 'object' } } },
    /response_format\.json_schema\.name/u,
  ],
  [
    { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'array' } } },
    /response_format\.json_schema\.schema/u,
  ],
  ['object', /response_format/u],
])(
  'no agent is spawned for the invalid format %j, and the error names the problem',
  async (response_format, told) => {
    await using at = await family(echo);
    const outcome = await at.call('spawn_agent', { prompt: 'Count', response_format });
    expect(outcome).toMatchObject({ isError: true, result: expect.stringMatching(told) });
    expect((await at.call('list_agents', {})).result).toEqual([]);
  },
);

it('a call that is repeated after a crash has one child', async () => {
  await using at = await family(echo);
  const call = { messageId: 4, toolCallId: 'again' };
  const [first, second] = [
    await at.call('spawn_agent', { prompt: 'Child' }, call),
    await at.call('spawn_agent', { prompt: 'Child' }, call),
  ];
  expect(second).toEqual(first);
  const next = await at.call('spawn_agent', { prompt: 'Child' }, { ...call, messageId: 6 });
  expect(next.result).not.toEqual(first.result);
  expect((await at.machine.listChildren({ owner: OWNER, chatId: at.parent.id })).length).toBe(2);
});

it('agents are listed with their prompts and states', async () => {
  await using at = await family(({ userText }) =>
    userText === 'Fail' ? reply.error(401) : echo({ userText } as ScriptedTurn),
  );
  at.gate.resolve();
  const [ended, failed] = [await at.spawn('Report\n  it'), await at.spawn('Fail')];
  await at.server.until(ended, 'waiting');
  await at.server.until(failed, 'error');
  expect((await at.call('list_agents', {})).result).toEqual([
    { chat_id: ended, status: 'ended', prompt: 'Report it' },
    { chat_id: failed, status: 'failed', prompt: 'Fail' },
  ]);
});

it('an agent that is interrupted while it streams has not ended, and its partial text is reported', async () => {
  const endless = reply.cut({ afterChunks: 3, isSilent: true }, reply.text('word '.repeat(99)));
  await using at = await family(() => endless);
  const id = await at.spawn();
  const spoken = new Promise<void>((resolve) => at.server.live.subscribe(id, () => resolve()));
  at.gate.resolve();
  await spoken;
  await at.machine.interrupt({ owner: OWNER, chatId: id });
  const outcome = await at.call('wait_agent', { chat_id: id });
  expect(outcome).toMatchObject({ isError: true, result: expect.stringContaining('It said last: word') });
});

it('agents stop when their parent is interrupted, and report it', async () => {
  await using at = await family(echo);
  const id = await at.spawn();
  await expect.poll(() => at.server.scripted.turns.length, { timeout: 20_000 }).toBe(2);
  await at.machine.interrupt({ owner: OWNER, chatId: at.parent.id });
  await at.server.until(id, 'waiting');
  await at.server.until(at.parent.id, 'waiting');
  const outcome = await at.call('wait_agent', { chat_id: id });
  expect(outcome).toMatchObject({
    isError: true,
    result: expect.stringContaining('stopped before it finished'),
  });
});
