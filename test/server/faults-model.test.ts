/**
 * Tests of model faults over HTTP: each request ends once, with a valid value or a typed failure.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { itWhole, matrixCases } from '../matrix.ts';
import { submit } from './answers.ts';
import { httpServer, type HttpServer } from './http-server.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } };
const GOOD = submit('{"output":{"n":7}}');

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

interface Asked {
  readonly receipt: Readonly<Record<string, unknown>>;
  readonly calls: number;
  readonly server: HttpServer;
  readonly chatId: string;
}

async function ask(
  script: ModelScript,
  options: { body?: object; tools?: readonly ServerTool[]; test?: (asked: Asked) => Promise<void> } = {},
): Promise<Asked> {
  await using server = await httpServer({
    store,
    script,
    contextTokens: 1_000_000,
    ...(options.tools && { tools: options.tools }),
  });
  const { chatId, requestId } = await server.begin({ content: 'Count', response_format, ...options.body });
  const receipt = await server.receipt(chatId, requestId);
  await server.turns.until(chatId, 'waiting', 'error');
  const asked = { receipt, calls: server.turns.scripted.requests.length, server, chatId };
  await options.test?.(asked);
  expect(server.faults).toEqual([]);
  expect(server.turns.events.filter(({ level }) => level === 'error')).toEqual([]);
  return asked;
}

const notProduced = (reason: string): object => ({
  status: 'failed',
  error: { code: 'structured_output_not_produced', reason },
});

function effectTool(ran: string[]): ServerTool {
  return {
    definition: { name: 'effect', description: 'Has an effect.', inputSchema: { type: 'object' } },
    run: (input) => {
      ran.push(JSON.stringify(input));
      return Promise.resolve(toolSuccess('done'));
    },
  };
}

describe('a model that never answers', () => {
  it('fails the request after five consecutive texts, and stops calling', async () => {
    const { receipt, calls } = await ask(() => reply.text('Seven, I would say.'));
    expect(receipt).toMatchObject(notProduced('text_only'));
    expect(calls).toBe(5);
  });

  it('fails after as many invalid answers as the client allows', async () => {
    const { receipt, calls } = await ask(() => submit('{"output":{"n":"x"}}'), {
      body: { limits: { max_repairs: 2 } },
    });
    expect(receipt).toMatchObject(notProduced('validation_exhausted'));
    expect(calls).toBe(2);
    expect(receipt['attempts']).toHaveLength(2);
  });

  it('fails after five invalid answers with texts between them', async () => {
    const { receipt, calls } = await ask(({ turnIndex }) =>
      turnIndex % 2 === 0 ? reply.text('Wait.') : submit('{"output":{}}'),
    );
    expect(receipt).toMatchObject(notProduced('validation_exhausted'));
    expect(calls).toBe(10);
  });

  it('fails if it returns an empty reply', async () => {
    const { receipt } = await ask(() => reply.text(''));
    expect(receipt).toMatchObject({ status: 'failed', error: { code: 'structured_output_not_produced' } });
  });

  itWhole('is stopped at the step limit if it calls tools forever', async () => {
    const ran: string[] = [];
    const { receipt, calls } = await ask(() => reply.tool('effect', {}), { tools: [effectTool(ran)] });
    expect(receipt).toMatchObject(notProduced('step_budget'));
    expect(calls).toBe(200);
  });
});

describe('an answer that is not alone', () => {
  it.each([
    ['before another call', [GOOD, reply.tool('effect', { at: 1 })]],
    ['after another call', [reply.tool('effect', { at: 1 }), GOOD]],
    ['beside a second answer', [GOOD, submit('{"output":{"n":8}}')]],
  ])('%s is refused, and nothing runs', async (_where, replies) => {
    const ran: string[] = [];
    const { receipt, calls } = await ask([reply.steps(replies), GOOD], { tools: [effectTool(ran)] });
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
    expect(receipt['attempts']).toMatchObject([{ code: 'not_alone' }, { code: 'ok' }]);
    expect(ran).toEqual([]);
    expect(calls).toBe(2);
  });

  it('next to text is accepted', async () => {
    const { receipt, calls } = await ask([reply.steps([reply.text('Here it is.'), GOOD])]);
    expect([receipt['status'], calls]).toEqual(['succeeded', 1]);
  });
});

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('an answer whose bytes are wrong', () => {
  // `turn-sequences.test.ts` has the other ones in each form.
  const tried = matrixCases(10, [
    ['stops in the middle', '{"output":{"n":', 'malformed'],
    ['has the key of the answer twice', '{"output":{"n":1},"output":{"n":2}}', 'malformed'],
    ['has a key of prototypes', '{"output":{"n":1,"__proto__":{"x":1}}}', undefined],
    ['is too deep', `{"output":{"n":${deep(65)}}}`, 'malformed'],
    ['is deep enough to overflow a stack', `{"output":{"n":${deep(50_000)}}}`, 'malformed'],
    ['has too many values', `{"output":{"n":[${'1,'.repeat(20_001)}1]}}`, 'malformed'],
    ['is too long', `{"output":{"n":"${'x'.repeat(256 * 1024)}"}}`, 'too_large'],
    ['is no object', '[1]', undefined],
    ['is nothing', '', undefined],
    ['has no output', '{}', undefined],
    ['has more than an output', '{"output":{"n":1},"more":1}', undefined],
    ['is a number of no size', '{"output":{"n":1e400}}', undefined],
    ['has a key twice', '{"output":{"n":1,"n":2}}', 'malformed'],
    ['has NUL in a key that the schema lacks', '{"output":{"n":1,"a":"\\u0000"}}', 'invalid'],
    ['has half of a character', '{"output":{"n":1,"a":"\\ud800"}}', 'malformed'],
    ['is two values', '{"output":{"n":1}}{"output":{"n":1}}', 'malformed'],
  ] as const);
  it.each(tried)('%s is refused once, and the next one is accepted', async (_what, text, code) => {
    const { receipt, calls } = await ask([submit(text), GOOD]);
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
    const [first] = receipt['attempts'] as readonly { code: string }[];
    if (code === undefined) expect(first?.code).not.toBe('ok');
    else expect(first?.code).toBe(code);
    expect(calls).toBe(2);
  });

  it.each([
    ['wrapped twice', '{"output":{"output":{"n":7}}}'],
    ['a string of itself', '{"output":"{\\"n\\":7}"}'],
  ])('%s is undone, and reported', async (_what, text) => {
    const { receipt, calls } = await ask([submit(text)]);
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
    const [first] = receipt['attempts'] as readonly { repairs?: readonly string[] }[];
    expect(first?.repairs).toHaveLength(1);
    expect(calls).toBe(1);
  });

  it('keeps the digits of numbers that exceed a double', async () => {
    const { receipt } = await ask([submit('{"output":{"n":123456789012345678901234567890}}')]);
    expect(receipt).toMatchObject({
      status: 'succeeded',
      value_text: '{"n":123456789012345678901234567890}',
    });
  });
});

describe('a service that fails', () => {
  it('is retried if the answer ends early', async () => {
    const { receipt } = await ask([reply.cut({ afterChunks: 3 }, GOOD), GOOD]);
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
  });

  it('is called in another way if it rejects a forced choice', async () => {
    const refusal = reply.error(400, { message: 'tool_choice "required" is not supported by this model' });
    const { receipt } = await ask(({ body }) =>
      JSON.stringify(body).includes('"tool_choice":"required"') ? refusal : GOOD,
    );
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
    expect(receipt['mode']).not.toBe('tool');
  });

  it('ends the request with a typed failure if it rejects the key', async () => {
    const { receipt, calls } = await ask(() => reply.error(401, { message: 'no' }));
    expect(receipt).toMatchObject({ status: 'failed', error: { code: 'generation_failed' } });
    expect(calls).toBe(1);
  });

  it('fails an answer that was cut at its length', async () => {
    const { receipt } = await ask([
      reply.toolText(FINALIZER_NAME, '{"output":{"n":7', { finishReason: 'length' }),
      GOOD,
    ]);
    expect(receipt['attempts']).toMatchObject([{ code: 'truncated' }, { code: 'ok' }]);
  });
});
