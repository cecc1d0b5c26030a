/** Submissions that hold NUL or half of a surrogate pair, on both stores. */
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { newRequestId } from './answers.ts';
import { message, testServer } from './test-server.ts';

const SCHEMA = {
  type: 'object',
  properties: { file: { type: 'string' }, n: { type: 'integer' } },
  required: ['file', 'n'],
  additionalProperties: false,
} as const;
const HALF = String.raw`{"output":{"file":"a\ud800","n":1}}`;
const ACCEPTED = String.raw`{"output":{"n":9007199254740993,"file":"a\u0000\u0010b"}}`;

describeOnBothStores('evidence', ({ open }) => {
  it('keeps each refused submission, and the digits and the NUL of the accepted one', async () => {
    const script = [HALF, ACCEPTED].map((args) => reply.toolText(FINALIZER_NAME, args));
    await using server = await testServer({ store: await open(), script });
    const requestId = newRequestId();
    const chatId = await server.ask(message('Look', { requestId, schema: SCHEMA }));
    const { receipt } = await server.receipt(requestId);
    expect(receipt).toMatchObject({
      status: 'succeeded',
      value: { file: 'a\0\u0010b' },
      value_text: String.raw`{"file":"a\u0000\u0010b","n":9007199254740993}`,
      attempts: [
        {
          code: 'malformed',
          issues: [{ path: '/file', rule: 'Expected whole characters, not half of a surrogate pair' }],
        },
        { code: 'ok' },
      ],
    });
    const parts = (await server.messages(chatId)).flatMap((row) => row.parts);
    const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part.args] : []));
    expect(calls).toEqual([HALF, ACCEPTED]);
    // A service could reject the half pair, so the model gets the path without it.
    const [, second] = server.scripted.requests;
    expect(second?.body).toContain('- /file: Expected whole characters');
    expect(second?.body).not.toMatch(/d800/iu);
  });
});
