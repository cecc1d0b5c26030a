/** Refused attempts of a real server: each is reported once, with what was wrong, before the model answers again. */
import { createOpenAI } from '@ai-sdk/openai';
import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { RefusedAttempt } from '../../packages/client/src/refused-attempts.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { clientServer } from './client-server.ts';

const submit = (output: unknown): ReturnType<typeof reply.toolText> =>
  reply.toolText(FINALIZER_NAME, JSON.stringify({ output }));
const bug = Output.object({ schema: z.object({ file: z.string(), line: z.number() }) });
const prompt = 'Which?';

/** The answers that the model had given when the attempt was reported, and the attempt. */
type Seen = [answers: number, attempt: RefusedAttempt<unknown>];

it('are reported with the place, the rule and what came, while the model corrects them', async () => {
  let answers = 0;
  const script = [
    submit({ file: 'a.ts', line: 'seven' }),
    reply.text('It is line 7.'),
    reply.text('{"file":"a.ts"}'),
    reply.toolText(FINALIZER_NAME, '{"output":{"file":'),
    submit({ file: 'a.ts', line: 7 }),
  ];
  const seen: Seen[] = [];
  // The model answers again only after the client has heard of the last refusal.
  await using server = await clientServer(async () => {
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(answers);
    const next = script[answers] ?? reply.error(401);
    answers += 1;
    return next;
  });
  const { receipt } = await server.client.chat().ask({
    prompt,
    output: bug,
    onAttempt(attempt) {
      expectTypeOf(attempt.draft).toEqualTypeOf<{ file?: string; line?: number } | undefined>();
      seen.push([answers, attempt]);
    },
  });
  const rule = expect.stringMatching(/^(?:Expected|Missing)/u) as string;
  expect(seen).toEqual([
    [
      1,
      {
        number: 1,
        code: 'invalid',
        issues: [{ path: '/line', rule, got: '"seven"' }],
        draft: { file: 'a.ts', line: 'seven' },
      },
    ],
    [2, { number: 2, code: 'text_only', issues: [] }],
    [
      3,
      {
        number: 3,
        code: 'text_only',
        issues: [{ path: '', rule, got: '{"file":"a.ts"}' }],
        draft: { file: 'a.ts' },
      },
    ],
    [4, { number: 4, code: 'malformed', issues: [{ path: '', rule }] }],
  ]);
  // The numbers are positions in the receipt.
  expect(receipt.attempts.map(({ code }) => code)).toEqual([...seen.map(([, { code }]) => code), 'ok']);
});

it('include an empty reply, which ends the turn', async () => {
  await using server = await clientServer([submit({ file: 'a.ts' }), reply.text('')]);
  const seen: RefusedAttempt<unknown>[] = [];
  const onAttempt = (attempt: RefusedAttempt<unknown>): unknown => seen.push(attempt);
  const asking = server.client.chat().ask({ prompt, output: bug, onAttempt });
  await expect(asking).rejects.toMatchObject({
    name: 'RequestEndedError',
    receipt: { attempts: [{ code: 'invalid' }, { code: 'empty' }] },
  });
  expect(seen).toMatchObject([{ number: 1 }, { number: 2, code: 'empty', issues: [] }]);
});

it('have no wrapper of an answer that is no object, and belong to one question', async () => {
  await using server = await clientServer([
    submit({ value: ['a', 7] }),
    submit({ value: ['a'] }),
    submit({ value: 'c' }),
    submit({ value: 'a' }),
  ]);
  const chat = server.client.chat();
  const first: unknown[] = [];
  const second: unknown[] = [];
  const output = Output.array({ element: z.string() });
  await chat.ask({ prompt, output, onAttempt: (attempt) => first.push(attempt) });
  const choice = Output.choice({ options: ['a', 'b'] });
  await chat.ask({ prompt, output: choice, onAttempt: (attempt) => second.push(attempt) });
  expect(first).toMatchObject([{ number: 1, issues: [{ path: '/1', got: '7' }], draft: ['a', 7] }]);
  expect(second).toMatchObject([{ number: 1, issues: [{ path: '', got: '"c"' }], draft: 'c' }]);
});

it('are reported in a schema mode, whose answer is text', async () => {
  await using server = await clientServer(
    [reply.json({ output: 'seven' }), reply.json({ output: 7 })],
    {},
    {
      model: ({ openaiUrl }) => createOpenAI({ baseURL: openaiUrl, apiKey: 'test' }).responses('gpt-5'),
      capabilities: { takesRequiredChoice: false },
    },
  );
  const seen: unknown[] = [];
  const output = Output.object({ schema: z.object({ output: z.int() }) });
  const onAttempt = (attempt: unknown): unknown => seen.push(attempt);
  const { receipt } = await server.client.chat().ask({ prompt, output, onAttempt });
  expect(receipt).toMatchObject({ mode: 'native', attempts: [{ code: 'invalid' }, { code: 'ok' }] });
  expect(seen).toMatchObject([
    { number: 1, code: 'invalid', issues: [{ path: '/output', got: '"seven"' }], draft: { output: 'seven' } },
  ]);
});

it('are read from calls of the finalizer alone, not from a tool with the same form', async () => {
  await using server = await clientServer([
    reply.tool('look', { output: { file: 'wrong' } }),
    reply.steps([reply.tool('look', { output: { file: 'wrong' } }), submit({ file: 'a.ts', line: 7 })]),
    submit({ file: 'a.ts', line: 7 }),
  ]);
  const look = { inputSchema: z.object({ output: z.unknown() }), execute: () => 'seen' };
  const seen: unknown[] = [];
  await server.client
    .chat({ tools: { look } })
    .ask({ prompt, output: bug, onAttempt: (attempt) => seen.push(attempt) });
  expect(seen).toEqual([{ number: 1, code: 'not_alone', issues: [], draft: { file: 'a.ts', line: 7 } }]);
});

it('are not reported after the caller stopped', async () => {
  await using server = await clientServer(() => submit({ file: 'a.ts', line: 'seven' }));
  const stopping = new AbortController();
  const seen: unknown[] = [];
  const chat = server.client.chat();
  const asking = chat.ask({
    prompt,
    output: bug,
    limits: { text_only: 5, max_repairs: 5 },
    signal: stopping.signal,
    onAttempt(attempt) {
      seen.push(attempt);
      stopping.abort();
    },
  });
  await expect(asking).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(async () => (await chat.read()).status, { timeout: 20_000 }).toBe('waiting');
  expect(seen).toHaveLength(1);
});
