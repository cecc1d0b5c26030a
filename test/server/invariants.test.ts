/**
 * Invariants of requests over whole turns on a real server, and the tests of each invariant.
 *
 * A request …
 * - has one receipt at most, and exactly one once its chat is idle: machine.property,
 *   faults.property, crash
 * - that succeeded has a value that a second validator accepts: here, faults.property (Ajv)
 * - leaks no internal record to a client or a provider: here, turn.property
 * - is decided the same from any prefix of its committed rows: here, turn.property, crash
 * - uses no more model calls than its budget: here, turn.property, faults-model, turn-sequences
 * - puts no text of a caller or a model into an error: faults-taint, turn.property
 * - that was canceled, edited or deleted never succeeds later: machine.property, faults.property,
 *   transition-matrix
 * - without a format changes no byte of the provider request: here, golden-requests, turn.property
 */
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { FINALIZER_FACTS } from '../../packages/server/src/finalizer/finalizer-definition.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { compatibleModel } from '../../packages/server/src/models/resolve-model.ts';
import type { Turn } from '../../packages/server/src/state/chat-reads.ts';
import type { Message } from '../../packages/server/src/state/rows/chat-records.ts';
import { factsOf, toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { decide, type TurnSettings } from '../../packages/server/src/turn/decide.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { COUNT, submit } from './answers.ts';
import { httpServer } from './http-server.ts';
import type { TestServerOptions } from './test-server.ts';
import { viewOf } from '../../packages/server/src/test-rows.ts';

const look: ServerTool = {
  definition: { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } },
  run: () => Promise.resolve(toolSuccess('a cat')),
};
const GOOD = submit('{"output":{"n":7}}');
const BAD = submit('{"output":{"n":"x"}}');
const MAX_STEPS = 12;

/** Behaviours of models that must answer. */
const TURNS: Readonly<Record<string, readonly ScriptedReply[]>> = {
  'answers at once': [GOOD],
  'looks first': [reply.tool('look', {}), GOOD],
  'talks, looks, is wrong, and answers': [reply.text('Hm.'), reply.tool('look', {}), BAD, GOOD],
  'answers beside a call': [reply.steps([reply.tool('look', {}), GOOD]), GOOD],
  'only talks': Array.from({ length: MAX_STEPS }, () => reply.text('Seven.')),
  'is always wrong': Array.from({ length: MAX_STEPS }, () => BAD),
  'looks for ever': Array.from({ length: MAX_STEPS + 1 }, () => reply.tool('look', {})),
};

/** Internal parts and fields of rows that must not leave the server. */
const INTERNAL_TO_PROVIDERS = [
  'response_format',
  'schema_text',
  'request_id',
  '"outcome"',
  '"attempt"',
  'synthetic',
];

const settings: TurnSettings = {
  tools: new Map([
    ['look', factsOf(look)],
    [FINALIZER_NAME, FINALIZER_FACTS],
  ]),
  model: compatibleModel(openAICompatible({ baseURL: 'http://127.0.0.1:1', model: 'x' })).capabilities,
  refused: [],
  isCompactionRequested: false,
  maxSteps: MAX_STEPS,
};

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(() => store.close());

/** Records the rows that a turn's decisions are based on: read, or built from their commit. */
function recordReadings(
  readings: (readonly Message[])[],
): Required<Pick<TestServerOptions, 'wrap' | 'onBuilt'>> {
  const onBuilt = (turn: Turn): Turn => {
    readings.push(turn.messages);
    return turn;
  };
  return {
    onBuilt,
    wrap: (machine) => ({
      ...machine,
      loadTurn: async (...given) => onBuilt(await machine.loadTurn(...given)),
    }),
  };
}

it.each(Object.entries(TURNS))('hold if a model %s', async (name, script) => {
  const readings: (readonly Message[])[] = [];
  await using server = await httpServer({
    store,
    tools: [look],
    script: [...script],
    ...recordReadings(readings),
    ports: { maxSteps: MAX_STEPS },
  });
  const { chatId, requestId } = await server.begin({
    content: 'Count',
    response_format: { type: 'json_schema', json_schema: { name: 'count', schema: COUNT } },
  });
  const receipt = await server.receipt(chatId, requestId);
  await server.turns.until(chatId, 'waiting');
  if (receipt['status'] === 'succeeded') {
    expect(new Ajv().validate(COUNT, receipt['value'])).toBe(true);
    expect(JSON.stringify(receipt['value'])).toBe(receipt['value_text']);
  } else {
    expect(receipt).toMatchObject({ status: 'failed', error: { code: 'structured_output_not_produced' } });
  }
  expect(server.turns.scripted.requests.length).toBeLessThanOrEqual(MAX_STEPS);

  // A worker that takes over reads the committed rows again: the first worker continued from the
  // same state.
  const rows = await server.turns.messages(chatId);
  expect(readings.length).toBeGreaterThan(0);
  for (const reading of readings) {
    const prefix = rows.slice(0, reading.length);
    expect(reading).toEqual(prefix);
    expect(decide(viewOf(prefix), settings)).toEqual(decide(viewOf(reading), settings));
  }

  const prompts = server.turns.scripted.requests.map(({ body }) => body);
  for (const word of [...INTERNAL_TO_PROVIDERS, requestId]) {
    expect(prompts.filter((prompt) => prompt.includes(word))).toEqual([]);
  }
  const seen = await Promise.all(
    ['', '/messages', '/queue', `/requests/${requestId}`].map(
      async (path) => (await server.ask('GET', `/api/chats/${chatId}${path}`)).text,
    ),
  );
  const hidden = rows.filter(({ visibility }) => visibility === 'model');
  const words = hidden.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'corrective' ? [part.text] : [])),
  );
  if (name.includes('talks')) expect(words).not.toEqual([]);
  for (const word of words) expect(seen.filter((text) => text.includes(word))).toEqual([]);
  for (const { id } of hidden) {
    const shown = await server.ask('GET', `/api/chats/${chatId}/messages?after=${id - 1}&limit=1`);
    expect(JSON.stringify(shown.json['messages'])).not.toContain(`"id":${id},`);
  }
});
