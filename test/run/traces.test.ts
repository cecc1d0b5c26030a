/** Tests of spans: one trace for a run, its turns and its tools, without content. */
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import type { AgentEvent, StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { commitLine, PRINT_ANSWER, runOptions } from './fixture.ts';

const PLANTED = 'kumquat';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const output = Output.object({
  tag: 'result',
  schema: z.object({ word: z.string() }),
  retry: 'fresh',
  maxCorrections: 1,
});
const CALLS: readonly AgentEvent[] = [
  { type: 'tool-call', id: '1', name: 'Bash', input: { command: PLANTED } },
  { type: 'tool-result', id: '1', output: PLANTED, isError: true },
  { type: 'tool-call', id: '2', name: 'Read', input: PLANTED },
];

const exporter = new InMemorySpanExporter();
beforeEach(() => {
  exporter.reset();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
});
afterEach(() => {
  trace.disable();
});

function spansOf(name: string): readonly ReadableSpan[] {
  return exporter.getFinishedSpans().filter((span) => span.name === name);
}

function idsOf(spans: readonly (ReadableSpan | undefined)[]): readonly unknown[] {
  return spans.map((span) => span?.spanContext().spanId);
}

function parentsOf(spans: readonly ReadableSpan[]): readonly unknown[] {
  return spans.map(({ parentSpanContext }) => parentSpanContext?.spanId);
}

/** The agent, whose stream begins with calls of tools. */
function withCalls(agent: StreamAgentProvider): StreamAgentProvider {
  return {
    ...agent,
    createStreamParser(options) {
      const parser = agent.createStreamParser(options);
      let isFirst = true;
      return {
        ...parser,
        push(line) {
          const calls = isFirst ? CALLS : [];
          isFirst = false;
          return [...calls, ...parser.push(line)];
        },
      };
    },
  };
}

describe('the spans of a run', () => {
  it('are one trace with its retry and its tools, in the trace that the run declares', async () => {
    const agent = scriptedAgent({
      steps: ({ callIndex }) => [
        step.shell(commitLine(`try-${callIndex}.txt`)),
        step.print(callIndex === 0 ? '<result>{}</result>' : `<result>{"word":"${PLANTED}"}</result>`),
      ],
    });
    const options = runOptions('', {
      agent: { ...withCalls(agent), model: 'acme/large' },
      env: { TRACEPARENT },
    });
    await run({ ...options, prompt: `${PLANTED} <result>`, output });
    const [root] = spansOf(`invoke_agent ${agent.name}`);
    expect(root?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(root?.attributes).toMatchObject({
      'truecast.attempts': 2,
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': 'acme/large',
      'truecast.commits': 2,
      'truecast.mode': 'tag',
      'truecast.schema_hash': expect.any(String) as unknown,
    });
    const turns = spansOf('truecast.turn');
    const steps = [...turns, ...spansOf('truecast.open_place'), ...spansOf('truecast.settle')];
    expect(turns).toHaveLength(2);
    expect(parentsOf(steps)).toEqual(idsOf([root, root, root, root]));
    const calls = [...spansOf('execute_tool Bash'), ...spansOf('execute_tool Read')];
    expect(parentsOf(calls)).toEqual(idsOf([...turns, ...turns]));
    expect(exporter.getFinishedSpans()).toHaveLength(1 + steps.length + calls.length);
    expect(calls[0]?.attributes).toMatchObject({ 'error.type': 'tool_error' });
    const told = exporter.getFinishedSpans().map(({ name, attributes, events, status }) => {
      return [name, attributes, events, status];
    });
    expect(JSON.stringify(told)).not.toContain(PLANTED);
  });

  it('give the agent their trace, and have the code of a failure', async () => {
    const result = await run(runOptions('echo "$TRACEPARENT"', { env: { TRACEPARENT } }));
    const [root] = spansOf('invoke_agent command');
    const [turn] = spansOf('truecast.turn');
    expect(result.stdout).toContain(`00-${TRACE}-${turn?.spanContext().spanId}-01`);
    expect(parentsOf([...spansOf('truecast.turn')])).toEqual(idsOf([root]));
    exporter.reset();
    await expect(run(runOptions('exit 3'))).rejects.toThrow();
    expect(spansOf('invoke_agent command')[0]).toMatchObject({
      status: { code: 2 },
      attributes: { 'truecast.code': expect.any(String) as unknown },
    });
  });

  it('are absent without a provider, and the agent gets no trace', async () => {
    trace.disable();
    const result = await run(runOptions(`echo "[$TRACEPARENT]"; ${PRINT_ANSWER}`));
    expect(result.stdout).toContain('[]');
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
