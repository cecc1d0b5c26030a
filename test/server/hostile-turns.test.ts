/**
 * Chat turns whose response format is a costly schema, over real HTTP: each is refused with a
 * problem or ends with a receipt, its work is counted, and the turns of other chats continue.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Receipt } from '../../packages/client/src/wire/receipt.ts';
import { WorkBudget } from '../../packages/core/src/schema/work/work-budget.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer, type ClientServer } from '../client/client-server.ts';
import { COSTLY, SELF_MERGE } from '../schema-suite/costly-schemas.ts';
import { COUNT } from './answers.ts';

/** Limit of one lowering of a schema of at most 16 KiB (ADR 0012). */
const MAX_WORK = 150_000;

/** Every schema goes to the provider's own schema mode, so it is lowered. */
const NATIVE = { takesTools: false, takesRequiredChoice: false, takesNativeSchema: true };

/** The self-merge of 163 bytes, below a root that the server accepts. */
const HIDDEN_MERGE = {
  type: 'object',
  properties: { a: { $ref: '#/definitions/t' } },
  definitions: SELF_MERGE['definitions'],
};

/** Not an object at the root, or larger than 16 KiB. The others are valid schemas. */
const REFUSED = [
  'a definition merged with itself',
  '700 optional properties',
  '800 alternatives',
  '400 schemas in one allOf',
];

interface Sent {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly problems?: readonly { readonly field: string; readonly detail: string }[];
    readonly chat?: { readonly id: string };
    readonly request_id?: string;
  };
}

async function send({ url, token }: ClientServer, schema: object): Promise<Sent> {
  const format = { type: 'json_schema', json_schema: { name: 'answer', schema } };
  const response = await fetch(new URL('/api/chats', url), {
    method: 'POST',
    body: JSON.stringify({ content: 'Answer.', response_format: format }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return { status: response.status, body: (await response.json()) as Sent['body'] };
}

async function receiptOf({ client }: ClientServer, { body }: Sent): Promise<Receipt> {
  return client.chat({ id: body.chat?.id ?? '' }).request(body.request_id ?? '', { waitMs: 30_000 });
}

/** Counts the units that are spent between two turns of the event loop. */
function countWork(): { readonly most: () => number; stop(): void } {
  let units = 0;
  let most = 0;
  let isStopped = false;
  const spend = WorkBudget.prototype.spend;
  vi.spyOn(WorkBudget.prototype, 'spend').mockImplementation(function (this: WorkBudget, spent, path) {
    units += spent;
    most = Math.max(most, units);
    spend.call(this, spent, path);
  });
  const next = (): void => {
    units = 0;
    if (!isStopped) setImmediate(next);
  };
  setImmediate(next);
  return { most: () => most, stop: () => void (isStopped = true) };
}

describe('a costly response format of a chat turn', { timeout: 240_000 }, () => {
  let server: ClientServer;
  let work: ReturnType<typeof countWork>;

  beforeAll(async () => {
    server = await clientServer(() => reply.text('{"n":1}'), {}, { capabilities: NATIVE });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    work = countWork();
  });
  afterEach(() => {
    work.stop();
    vi.restoreAllMocks();
  });

  it.each([...COSTLY, { name: 'a hidden merge', schema: HIDDEN_MERGE }])(
    'is refused with a problem or answered, and another turn continues: $name',
    async ({ schema, name }) => {
      const [hostile, ordinary] = await Promise.all([send(server, schema), send(server, COUNT)]);
      expect(await receiptOf(server, ordinary)).toMatchObject({ status: 'succeeded', value_text: '{"n":1}' });
      if (REFUSED.includes(name)) {
        const problems = [expect.objectContaining({ field: 'response_format.json_schema.schema' })];
        expect(hostile).toMatchObject({ status: 400, body: { code: 'invalid_body', problems } });
      } else {
        expect(hostile.status).toBe(201);
        // A schema that needs too much work is not sent in the provider's form.
        expect(await receiptOf(server, hostile)).toMatchObject({
          status: expect.stringMatching(/^(succeeded|failed)$/u) as unknown,
        });
      }
      expect(work.most()).toBeGreaterThan(0);
      // At most one lowering for each of the two turns. A costly one is followed by a shorter trimming.
      expect(work.most()).toBeLessThanOrEqual(2 * MAX_WORK);
    },
  );
});
