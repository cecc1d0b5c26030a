/**
 * Counts how often a turn derives its request from the rows: once for each load, and once
 * for each step without open calls, which can be the last one.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { RowPart } from '../../packages/server/src/contract/rows.ts';
import type { Turn } from '../../packages/server/src/state/chat-reads.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { message, testServer, type TestServerOptions } from './test-server.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: ':memory:' });
});
afterAll(async () => store.close());

it.each([
  ['one step', ['{"output": {"n": 7}}'], 'r-1', { loads: 1, derivations: 2 }],
  [
    'two steps, the first one rejected',
    ['{"output": {}}', '{"output": {"n": 7}}'],
    'r-2',
    { loads: 2, derivations: 4 },
  ],
])(
  'a turn of %s derives its request once per load and per step',
  async (_title, submissions, requestId, expected) => {
    const counts = { loads: 0, derivations: 0 };
    const script = submissions.map((text) => reply.toolText(FINALIZER_NAME, text));
    await using server = await testServer({ store, script, ...countReads(counts) });
    await server.ask(message('Count', { requestId, schema }));
    expect((await server.receipt(requestId)).receipt.status).toBe('succeeded');
    expect(counts).toEqual(expected);
  },
);

/** Each derivation reads the schema of the request's format once. */
function countReads(counts: {
  loads: number;
  derivations: number;
}): Required<Pick<TestServerOptions, 'wrap' | 'onBuilt'>> {
  const counted = (part: RowPart): RowPart => {
    if (part.type !== 'response_format' || isCounted(part)) return part;
    const { schema_text } = part;
    return Object.defineProperty({ ...part }, 'schema_text', {
      enumerable: true,
      get: () => {
        counts.derivations += 1;
        return schema_text;
      },
    });
  };
  // A turn that is built from its commit replaces a load.
  const onBuilt = (turn: Turn): Turn => {
    counts.loads += 1;
    return { ...turn, messages: turn.messages.map((row) => ({ ...row, parts: row.parts.map(counted) })) };
  };
  return {
    onBuilt,
    wrap: (machine) => ({
      ...machine,
      loadTurn: async (...given) => onBuilt(await machine.loadTurn(...given)),
    }),
  };
}

/** A later load contains the parts of the earlier one. */
function isCounted(part: RowPart): boolean {
  return Object.getOwnPropertyDescriptor(part, 'schema_text')?.get !== undefined;
}
