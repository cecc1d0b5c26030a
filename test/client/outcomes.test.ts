/** Outcomes of a chat: the client sends the composed schema, and a person's answer is the next message. */
import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import type { Outcome } from '../../packages/core/src/output/definition/outcome.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer } from './client-server.ts';

const submit = (value: unknown): ReturnType<typeof reply.toolText> =>
  reply.toolText(FINALIZER_NAME, JSON.stringify({ output: { value } }));

const output = Output.object({
  schema: z.object({ db: z.string(), port: z.number().optional() }),
  question: true,
  decline: true,
});

it.each([
  [{ answer: { db: 'pg' } }, { outcome: 'answered', answer: { db: 'pg' } }],
  [{ db: 'pg' }, { outcome: 'answered', answer: { db: 'pg' } }],
  [{ question: { text: 'Which?' } }, { outcome: 'question', question: { text: 'Which?' } }],
  [{ declined: 'unsafe' }, { outcome: 'declined', reason: 'unsafe' }],
])('takes %j in one call', async (said, outcome) => {
  await using server = await clientServer([submit(said)]);
  const { output: value, receipt } = await server.client.chat().ask({ prompt: 'Which?', output });
  expect(value).toEqual(outcome);
  expectTypeOf(value).toEqualTypeOf<Outcome<{ db: string; port?: number | undefined }>>();
  expect(receipt.attempts).toHaveLength(1);
});

it('refuses a question beside an answer on the server, and takes the corrected one', async () => {
  const loose = Output.object({ schema: z.object({ db: z.string().optional() }), question: true });
  await using server = await clientServer([
    submit({ question: { text: 'Which?' }, db: 'pg' }),
    submit({ question: { text: 'Which?' } }),
  ]);
  const { output: value, receipt } = await server.client.chat().ask({ prompt: 'Which?', output: loose });
  expect(value).toEqual({ outcome: 'question', question: { text: 'Which?' } });
  expect(receipt.attempts.map(({ code }) => code)).toEqual(['invalid', 'ok']);
});

it('continues with the answer of a person in the next message', async () => {
  await using server = await clientServer([
    submit({ question: { text: 'Which?' } }),
    submit({ answer: { db: 'pg' } }),
  ]);
  const chat = server.client.chat();
  const first = await chat.ask({ prompt: 'Which?', output });
  expect(first.output.outcome).toBe('question');
  const second = await chat.ask({ prompt: 'Use pg.', output });
  expect(second.output).toEqual({ outcome: 'answered', answer: { db: 'pg' } });
});
