import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../packages/core/src/kit/json-value.ts';
import type { Receipt } from '../../packages/client/src/wire/receipt.ts';
import { toolSuccess, type ServerTool } from '../../packages/server/src/tools/server-tool.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { matrixColumns, matrixRow } from '../matrix.ts';
import { ASK_USER, COUNT, newRequestId, submit } from './answers.ts';
import { message, testServer, type TestServer, type TestServerOptions } from './test-server.ts';

interface Played {
  readonly receipt: Receipt;
  readonly calls: number;
  readonly chatId: string;
}

/** Runs one turn with a request to its end. */
async function play(
  options: Omit<TestServerOptions, 'store'>,
  store: Store,
  schema: object = COUNT,
): Promise<Played> {
  await using server = await testServer({ store, ...options });
  const requestId = newRequestId();
  const chatId = await server.ask(message('Count', { requestId, schema }));
  const { receipt } = await server.receipt(requestId);
  await expectNoOrphans(server, chatId);
  return { receipt, calls: server.scripted.requests.length, chatId };
}

async function expectNoOrphans(server: TestServer, chatId: string): Promise<void> {
  const { executions, chat } = await server.machine.loadTurn(chatId);
  expect(executions).toEqual([]);
  expect(chat.requestId).toBeUndefined();
}

const codes = ({ attempts }: Receipt): string[] => attempts.map(({ code }) => code);

describeOnBothStores('A turn with a request', (open, row) => {
  const itInTurns = matrixRow(row, { rows: 2 });
  itInTurns('text, corrective row, valid answer: two calls and a value', async () => {
    const { receipt, calls } = await play(
      { script: [reply.text('Seven.'), submit('{"output":{"n":7}}')] },
      open(),
    );
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
    expect(codes(receipt)).toEqual(['text_only', 'ok']);
    expect(calls).toBe(2);
  });

  itInTurns('five invalid answers exhaust the repairs in five calls', async () => {
    const { receipt, calls } = await play({ script: () => submit('{"output":{"n":"no"}}') }, open());
    expect(receipt.error).toMatchObject({
      code: 'structured_output_not_produced',
      reason: 'validation_exhausted',
    });
    expect(calls).toBe(5);
  });

  itInTurns('five texts in a row end it in five calls', async () => {
    const { receipt, calls } = await play({ script: () => reply.text('No.') }, open());
    expect(receipt.error?.reason).toBe('text_only');
    expect(calls).toBe(5);
  });

  itInTurns(
    'alternating texts and invalid answers exhaust the repairs, because each tool call resets the text count',
    async () => {
      const script = Array.from({ length: 5 }, () => [
        reply.text('Hm.'),
        reply.text('Hm.'),
        submit('{"output":{}}'),
      ]).flat();
      const { receipt, calls } = await play({ script }, open());
      expect(receipt.error?.reason).toBe('validation_exhausted');
      expect(calls).toBe(15);
    },
  );

  itInTurns('four texts, then a tool, then four texts and the answer: never five in a row', async () => {
    const texts = Array.from({ length: 4 }, () => reply.text('Hm.'));
    const script = [...texts, reply.tool('look', {}), ...texts, submit('{"output":{"n":1}}')];
    const { receipt } = await play({ script, tools: [look([])] }, open());
    expect(receipt.status).toBe('succeeded');
  });

  itInTurns(
    'an answer that is complete at the output limit is accepted, and a part of one is not',
    async () => {
      const at = (args: string) =>
        reply.toolText('submit_structured_output', args, { finishReason: 'length' });
      const { receipt } = await play({ script: [at('{"output":{"n":8}'), at('{"output":{"n":7}}')] }, open());
      expect(codes(receipt)).toEqual(['truncated', 'ok']);
      expect(receipt.value).toEqual({ n: 7 });
    },
  );

  itInTurns('an answer that is cut off every time fails as truncated', async () => {
    const cut = reply.toolText('submit_structured_output', '{"output":{"n":', { finishReason: 'length' });
    const { receipt, calls } = await play({ script: () => cut }, open());
    expect(receipt.error?.reason).toBe('truncated');
    expect(calls).toBe(5);
  });

  itInTurns('an empty reply of the model fails the request at once', async () => {
    const { receipt } = await play({ script: () => reply.text('') }, open());
    expect(receipt.error?.reason).toBe('empty_response');
  });

  itInTurns('a model that always works answers in the last two steps, which offer nothing else', async () => {
    const works: ModelScript = ({ tools }) =>
      tools.some(({ name }) => name === 'look') ? reply.tool('look', {}) : submit('{"output":{"n":7}}');
    const { receipt, calls } = await play(
      { script: works, tools: [look([])], ports: { maxSteps: 7 } },
      open(),
    );
    expect(receipt).toMatchObject({ status: 'succeeded', value: { n: 7 } });
    expect(calls).toBe(6);
  });

  itInTurns('a tool that was not offered ends it after three calls', async () => {
    const { receipt, calls } = await play({ script: () => reply.tool('nope', {}) }, open());
    expect(receipt.error).toMatchObject({ code: 'structured_output_not_produced', reason: 'unknown_tool' });
    expect(calls).toBe(3);
  });

  itInTurns('the step budget ends a turn that only works', async () => {
    const { receipt, calls } = await play(
      { script: () => reply.tool('look', {}), tools: [look([])], ports: { maxSteps: 7 } },
      open(),
    );
    expect(receipt.error?.reason).toBe('step_budget');
    expect(calls).toBe(7);
  });

  describe('the bytes of an answer', () => {
    it.each(
      matrixColumns(
        row,
        [
          ['a doubled key', '{"output":{"n":1,"n":2}}', 'malformed'],
          ['a lone surrogate', String.raw`{"output":{"n":1,"s":"\ud800"}}`, 'malformed'],
          ['a NUL where no text belongs', String.raw`{"output":{"n":1,"s":"\u0000"}}`, 'invalid'],
          ['1e400', '{"output":{"n":1e400}}', 'malformed'],
          ['a second value', '{"output":{"n":1}} {}', 'malformed'],
          ['no JSON', 'n is one', 'malformed'],
          ['no envelope, and no answer either', '{"m":1}', 'invalid'],
        ] as const,
        { rows: 2 },
      ),
    )('%s is rejected', async (_name, args, code) => {
      const { receipt } = await play({ script: [submit(args), submit('{"output":{"n":1}}')] }, open());
      expect(codes(receipt)).toEqual([code, 'ok']);
    });

    it('an integer of 200 digits keeps them all', async () => {
      const digits = '9'.repeat(200);
      const { receipt } = await play({ script: [submit(`{"output":{"n":${digits}}}`)] }, open());
      expect(receipt).toMatchObject({ value_text: `{"n":${digits}}`, numbers_exact: true });
    });

    it('256 KiB pass, one byte more does not', async () => {
      const schema = { type: 'object', properties: { s: { type: 'string' } }, required: ['s'] };
      const sized = (bytes: number): ScriptedReply => {
        const [head, tail] = ['{"output":{"s":"', '"}}'];
        return submit(`${head}${'x'.repeat(bytes - head.length - tail.length)}${tail}`);
      };
      const script = [sized(256 * 1024 + 1), sized(256 * 1024)];
      // In pieces that are too large to be watched for a repetition.
      const chunkChars = 65_536;
      const { receipt } = await play({ script, chunkChars, contextTokens: 1_000_000 }, open(), schema);
      expect(codes(receipt)).toEqual(['too_large', 'ok']);
      expect(receipt.value_text).toHaveLength(256 * 1024 - '{"output":}'.length);
    });
  });

  describe('a batch that includes the answer runs nothing', () => {
    it.each(
      matrixColumns(
        row,
        [
          ['a tool of the server', reply.tool('look', {})],
          ["a tool of the client's", reply.tool('ask_user', {})],
          ['a tool that is none', reply.tool('nothing', {})],
          ['a second answer', submit('{"output":{"n":2}}')],
        ] as const,
        { rows: 2 },
      ),
    )('beside %s', async (_name, sibling) => {
      const ran: JsonValue[] = [];
      const store = open();
      const script = [reply.steps([submit('{"output":{"n":1}}'), sibling]), submit('{"output":{"n":3}}')];
      await using server = await testServer({ store, script, tools: [look(ran)] });
      const requestId = newRequestId();
      const chatId = await server.ask(message('Count', { requestId, schema: COUNT }), {
        dynamicTools: [ASK_USER],
      });
      const { receipt } = await server.receipt(requestId);
      expect(ran).toEqual([]);
      expect(codes(receipt)).toEqual(['not_alone', 'ok']);
      expect(receipt.value).toEqual({ n: 3 });
      const [results] = (await server.messages(chatId)).filter(({ role }) => role === 'tool');
      expect(results?.parts).toMatchObject([{ is_error: true }, { is_error: true }]);
    });
  });

  itInTurns('a tool result is cut to its budget, an answer is never cut', async () => {
    const schema = { type: 'object', properties: { s: { type: 'string' } }, required: ['s'] };
    const long = 'x'.repeat(40_000);
    const tool: ServerTool = { ...look([]), run: () => Promise.resolve(toolSuccess(long)) };
    await using server = await testServer({
      store: open(),
      tools: [tool],
      contextTokens: 4_096,
      chunkChars: 8_192,
      script: [
        reply.tool('look', {}, { usage: { inputTokens: 10 } }),
        reply.toolText('submit_structured_output', JSON.stringify({ output: { s: long } }), {
          usage: { inputTokens: 10, outputTokens: 10 },
        }),
      ],
    });
    const requestId = newRequestId();
    await server.ask(message('Say', { requestId, schema }));
    const { receipt } = await server.receipt(requestId);
    expect(receipt.value).toEqual({ s: long });
    expect(server.scripted.turns[1]?.lastToolResult?.text.length).toBeLessThan(20_000);
  });
});

function look(ran: JsonValue[]): ServerTool {
  return {
    definition: { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } },
    run: (input) => {
      ran.push(input);
      return Promise.resolve(toolSuccess('a cat'));
    },
  };
}
