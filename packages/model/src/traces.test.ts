/** Tests of spans: one trace for all attempts of an answer, without content. */
import { context, ROOT_CONTEXT, trace, type ContextManager } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { Output } from '@truecast/core/internal/output/output';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GenerateResult } from './generate-promise.ts';
import { generate } from './generate.ts';
import { openAICompatible } from './open-ai-compatible.ts';
import type { ModelScript } from '../../testing/src/scripted-model/model-script.ts';
import { scriptedModelServer } from '../../testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../testing/src/scripted-model/turn/scripted-reply.ts';

const PLANTED = 'kumquat';
const output = Output.object({ schema: z.object({ word: z.string() }), maxCorrections: 1 });
const valid = reply.text(JSON.stringify({ word: PLANTED }));
const invalid = reply.text(JSON.stringify({ [PLANTED]: 1 }));

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeEach(() => {
  exporter.reset();
  trace.setGlobalTracerProvider(provider);
});
afterEach(() => {
  trace.disable();
  context.disable();
});

async function ask(
  script: ModelScript,
  answer: typeof generate = generate,
): Promise<GenerateResult<{ readonly word: string }>> {
  await using server = await scriptedModelServer({ script });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  return await answer({ model, prompt: PLANTED, output, mode: 'native' });
}

function spanOf(name: string): ReadableSpan | undefined {
  return exporter.getFinishedSpans().find((span) => span.name === name);
}

function expectNoContent(): void {
  const told = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => {
    return [name, attributes, events, status];
  });
  expect(JSON.stringify(told)).not.toContain(PLANTED);
}

describe('the spans of an answer', () => {
  it.each<[string, typeof generate]>([
    ['generate()', generate],
    [
      'generate() that is read',
      (options) => {
        const answer = generate(options);
        void answer[Symbol.asyncIterator]().next();
        return answer;
      },
    ],
  ])('are one trace with its retries, for %s', async (_title, answer) => {
    await ask([invalid, valid], answer);
    const root = spanOf('truecast.generate');
    const calls = exporter.getFinishedSpans().filter(({ name }) => name === 'chat scripted');
    expect(root?.attributes).toMatchObject({ 'truecast.mode': 'native', 'truecast.attempts': 2 });
    expect(root?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
    expect(root?.attributes).not.toHaveProperty('truecast.code');
    expect(calls.map((span) => span.parentSpanContext?.spanId)).toEqual(
      Array(2).fill(root?.spanContext().spanId),
    );
    expect(calls[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai-compatible',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expectNoContent();
  });

  it('have the code of an answer that failed', async () => {
    await expect(ask([invalid, invalid])).rejects.toMatchObject({ code: 'schema-mismatch' });
    expect(spanOf('truecast.generate')).toMatchObject({
      status: { code: 2 },
      attributes: { 'truecast.code': 'schema-mismatch', 'truecast.attempts': 2 },
    });
    expectNoContent();
  });

  it('have the name of a failed call, and not its message', async () => {
    await expect(ask([reply.error(400, { message: PLANTED })])).rejects.toMatchObject({ code: 'http' });
    expect(spanOf('chat scripted')?.attributes).toMatchObject({ 'error.type': 'AI_APICallError' });
    expectNoContent();
  });

  it('are below the active span of the program', async () => {
    const parent = provider.getTracer('program').startSpan('program');
    const manager: ContextManager = {
      active: () => trace.setSpan(ROOT_CONTEXT, parent),
      with: (_context, work, self, ...args) => work.call(self, ...args),
      bind: (_context, target) => target,
      enable: () => manager,
      disable: () => manager,
    };
    context.setGlobalContextManager(manager);
    await ask([valid]);
    expect(spanOf('truecast.generate')?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
  });

  it('are absent without a provider, and the answer is the same', async () => {
    trace.disable();
    expect((await ask([invalid, valid])).output).toEqual({ word: PLANTED });
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
