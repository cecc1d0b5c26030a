import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { openAICompatible } from '../open-ai-compatible.ts';
import { askForText } from '../call/ask-for-text.ts';
import type { GenerateCall, GenerateOptions } from '../call/generate-options.ts';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';

/** Pieces of one reply. The last one is sent until the client leaves, or 8,000 times. */
interface Played {
  readonly start: string;
  readonly again?: string;
  readonly field?: 'content' | 'reasoning_content' | 'arguments';
}

interface Service extends AsyncDisposable {
  readonly url: string;
  readonly bodies: readonly Record<string, unknown>[];
  /** For each request, whether its client left before the end. */
  readonly left: readonly Promise<boolean>[];
}

const MOST = 8_000;

async function startService(replies: readonly Played[]): Promise<Service> {
  const bodies: Record<string, unknown>[] = [];
  const left: Promise<boolean>[] = [];
  const server = createServer((request, response) => {
    const read: string[] = [];
    request.setEncoding('utf8').on('data', (text: string) => read.push(text));
    request.once('end', () => {
      const played = replies[bodies.length] ?? { start: '{"answer": 3}' };
      bodies.push(JSON.parse(read.join('')) as Record<string, unknown>);
      response.on('error', () => undefined);
      left.push(once(response, 'close').then(() => !response.writableFinished));
      void play(response.writeHead(200, { 'content-type': 'text/event-stream' }), played);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bodies,
    left,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function play(response: ServerResponse, { start, again, field = 'content' }: Played): Promise<void> {
  const delta = (text: string): object =>
    field === 'arguments'
      ? {
          tool_calls: [
            { index: 0, id: 'c1', type: 'function', function: { name: 'submit_output', arguments: text } },
          ],
        }
      : { [field]: text };
  const send = (choice: object, rest: object = {}): boolean =>
    response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, ...choice }], ...rest })}\n\n`);
  const closed = once(response, 'close');
  send({ delta: delta(start) });
  for (let sent = 0; again !== undefined && sent < MOST && !response.destroyed; sent += 1) {
    if (!send({ delta: delta(again) })) await Promise.race([once(response, 'drain'), closed]);
  }
  const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
  send({ delta: {}, finish_reason: 'stop' }, { usage });
  response.end('data: [DONE]\n\n');
}

type Given = Partial<GenerateOptions<AnyOutputDefinition>>;

async function ask(
  service: Service,
  given: Given = {},
): Promise<{ calls: GenerateCall[]; result: Record<string, unknown> }> {
  const calls: GenerateCall[] = [];
  const result = await generate({
    model: openAICompatible({ baseURL: service.url, model: 'm' }),
    prompt: 'How many?',
    output: Output.object({ schema: z.strictObject({ answer: z.number() }) }),
    seed: 7,
    onCall: (call) => void calls.push(call),
    ...given,
  }).catch((error: unknown) => error);
  return { calls, result: result as Record<string, unknown> };
}

const ENDLESS: Played = { start: '{"answer": ', again: '\n  ' };

it('ends a reply that runs away, and asks anew with the next seed and nothing of the reply', async () => {
  await using service = await startService([ENDLESS]);
  const { calls, result } = await ask(service);
  expect(result).toMatchObject({
    output: { answer: 3 },
    provenance: { attempts: [{ code: 'runaway' }, { code: 'ok' }] },
  });
  expect(calls.map(({ code }) => code)).toEqual(['runaway', 'ok']);
  expect(calls[0]).not.toHaveProperty('usage');
  const [first, second] = service.bodies;
  expect(second?.['messages']).toEqual(first?.['messages']);
  expect(second?.['seed']).toBe(8);
  expect(await service.left[0]).toBe(true);
});

it.each([
  ['in the schema mode', 'native', ENDLESS],
  ['in the JSON mode', 'json', ENDLESS],
  ['in the arguments of a call', 'tool', { ...ENDLESS, field: 'arguments' }],
  [
    'in its reasoning',
    'native',
    { start: 'Hm. ', again: 'Wait, let me think about it once more. ', field: 'reasoning_content' },
  ],
  ['in a string', 'native', { start: '{"text": "', again: 'and then the meeting went on ' }],
] as const)('ends a reply that repeats itself %s', async (_, mode, played) => {
  await using service = await startService([played]);
  const { calls, result } = await ask(service, { mode, maxCorrections: 0 });
  expect(result).toMatchObject({
    name: 'StructuredOutputError',
    code: 'runaway',
    attempts: [{ code: 'runaway' }],
  });
  expect(String(result['message'])).toContain('endRunaways: false');
  expect(calls.map(({ code }) => code)).toEqual(['runaway']);
  expect(await service.left[0]).toBe(true);
});

it('ends a text between tags', async () => {
  await using service = await startService([{ start: '<answer>', again: 'the same words come again ' }]);
  const output = Output.object({ schema: z.object({ answer: z.number() }), tag: 'answer' });
  const { result } = await ask(service, { output, prompt: '<answer>', maxCorrections: 0 });
  expect(result).toMatchObject({ code: 'runaway', tag: 'answer' });
});

it('accepts an answer that is complete before the white space', async () => {
  await using service = await startService([{ start: '{"answer": 12}', again: '\n' }]);
  const { calls, result } = await ask(service, { mode: 'native' });
  expect(result).toMatchObject({ output: { answer: 12 } });
  expect(calls.map(({ code }) => code)).toEqual(['ok']);
  expect(await service.left[0]).toBe(true);
});

it('takes the reply as it comes with `endRunaways: false`', async () => {
  await using service = await startService([ENDLESS]);
  const { calls, result } = await ask(service, { endRunaways: false, maxCorrections: 0 });
  expect(result).toMatchObject({ code: 'invalid-json' });
  expect(calls).toMatchObject([{ usage: { outputTokens: 4 } }]);
  expect(await service.left[0]).toBe(false);
});

it('refuses `endRunaways` with another value before a request', async () => {
  await using service = await startService([]);
  const endRunaways = 'no' as unknown as boolean;
  expect((await ask(service, { endRunaways })).result).toMatchObject({ code: 'invalid-option' });
  expect(service.bodies).toEqual([]);
});

it('tells a text without an answer as `runaway`, and returns nothing of it', async () => {
  await using service = await startService([{ start: 'Well. ', again: 'It is what it is. ' }]);
  const calls: GenerateCall[] = [];
  const model = openAICompatible({ baseURL: service.url, model: 'm' });
  const { text } = await askForText({ model, prompt: 'Tell me.', onCall: (call) => void calls.push(call) });
  expect({ text, codes: calls.map(({ code }) => code) }).toEqual({ text: '', codes: ['runaway'] });
  expect(await service.left[0]).toBe(true);
});
