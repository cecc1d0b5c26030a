import { expect, it } from 'vitest';
import { MODELS } from '../../src/model/test-models.ts';
import { openStore } from '../../src/store/open-store.ts';
import { reply } from '../../src/testing/scripted-model/scripted-reply.ts';
import { toolSuccess, type ServerTool } from '../../src/server/tools/server-tool.ts';
import { message, OWNER, testServer, type TestServer } from './test-server.ts';
import { WEB_SEARCHING, webSearching } from './web-searching.ts';

const look: ServerTool = {
  definition: {
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
  },
  run: () => Promise.resolve(toolSuccess('a cat')),
};

/** Ids that a service made up. */
function withoutIds(body: string): string {
  const ids = new Map<string, string>();
  return body.replaceAll(
    /(?<="id":")[0-9A-Za-z]{16}(?=")|(?:toolu|call|fc|msg|rs|ctc|ws|search)_[0-9A-Za-z]{16,}/gu,
    (id) => {
      ids.set(id, ids.get(id) ?? `id-${ids.size}`);
      return ids.get(id) ?? '';
    },
  );
}

/** Waits for the first turn, has a second one, and gives the three bodies that were sent. */
async function askAgain(server: TestServer, chatId: string): Promise<string> {
  await server.until(chatId, 'waiting', 'error');
  const again = { owner: OWNER, chatId, message: message('Sure?') };
  await server.machine.sendMessage({ ...again, busyBehavior: 'queue' });
  await server.until(chatId, 'waiting', 'error');
  const bodies = server.scripted.requests.map(({ body }) => body);
  expect(bodies).toHaveLength(3);
  return `${withoutIds(bodies.join('\n'))}\n`;
}

it.each(Object.entries(MODELS))(
  'what an ordinary turn asks of %s is the same to the byte',
  async (name, makeModel) => {
    const store = await openStore({ url: ':memory:' });
    const script = [reply.tool('look', { at: 'it' }), reply.text('A cat.'), reply.text('Yes.')];
    await using server = await testServer({ store, script, tools: [look], model: makeModel });
    const first = message('What is it?');
    const { chat } = await server.machine.createChat({
      owner: OWNER,
      model: 'test:scripted',
      message: first,
      systemPrompt: 'You look at things.',
      dynamicTools: [{ name: 'ask_user', description: 'Asks.', input_schema: { type: 'object' } }],
    });
    const golden = await askAgain(server, chat.id);
    await expect(golden).toMatchFileSnapshot(`golden/${name.replaceAll(' ', '-')}.jsonl`);
    await store.close();
  },
);

it.each(WEB_SEARCHING)(
  'what a turn with a search of the web asks of %s, and sends back of it, is the same to the byte',
  async (id) => {
    const store = await openStore({ url: ':memory:' });
    const search = reply.webSearch({ query: 'cats', pages: [{ url: 'https://cats.test/', title: 'Cats' }] });
    const script = [
      reply.steps([search, reply.tool('look', { at: 'it' })]),
      reply.text('A cat.'),
      reply.text('Yes.'),
    ];
    const chatModel = webSearching(id);
    await using server = await testServer({ store, script, tools: [look], chatModel });
    const { chat } = await server.machine.createChat({ owner: OWNER, model: id, message: message('What?') });
    const golden = await askAgain(server, chat.id);
    await expect(golden).toMatchFileSnapshot(`golden/web-search-${id.replace(/:.*/u, '')}.jsonl`);
    await store.close();
  },
);
