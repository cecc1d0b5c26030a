/** Spans of a run, its turns and their tool calls. Names, codes and counts only, no content. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import { traceEnvironment, traceOf, type TraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import {
  openSpans,
  type SpanAttributes,
  type SpanStart,
  type Trace,
  usageAttributes,
} from '@truecast/model/internal/telemetry/tracing';
import type { RunContext } from './run-context.ts';
import { totalUsage } from './run-progress.ts';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import type { LifecycleEvent } from '../events/run-events.ts';

export async function traceRun<T>(
  context: RunContext,
  inside: Readonly<Record<string, string>>,
  work: (context: RunContext) => Promise<T>,
): Promise<T> {
  const trace = await openSpans('truecast');
  const parent = traceOf({ traceparent: inside['TRACEPARENT'], tracestate: inside['TRACESTATE'] });
  return trace(runSpan(context, parent), async (span) => {
    const child: RunContext['trace'] = (start, next) => trace({ parent: span, ...start }, next);
    context.observers.add({
      event(event) {
        if (event.type === 'sandbox-ready') span.set({ 'truecast.egress': event.egress });
        if (event.type === 'run-end') span.set({ 'truecast.commits': event.evidence.commits.length });
      },
    });
    try {
      return await work({ ...context, trace: child });
    } catch (error) {
      span.set({ 'truecast.code': TruecastError.isInstance(error) ? error.code : 'aborted' });
      throw error;
    } finally {
      if (span.isRecorded) span.set(await endAttributes(context));
    }
  });
}

const TURN_SPAN = { name: 'truecast.turn', kind: 'internal', attributes: {} } as const;

/**
 * Runs `work` in the span of a turn, with a span for each tool call below it. The agent gets the
 * turn's headers in its environment.
 */
export async function traceTurn<C extends RunContext, T>(
  context: C,
  work: (context: C) => Promise<T>,
): Promise<T> {
  return context.trace(TURN_SPAN, async (span) => {
    if (!span.isRecorded) return work(context);
    const tools = createToolSpans((start, next) => context.trace({ ...start, parent: span }, next));
    const leave = context.observers.add({ event: (event) => tools.observe(event) });
    try {
      return await work({ ...context, traceEnv: traceEnvironment(span) });
    } finally {
      leave();
      await tools.end();
    }
  });
}

/** A trace that the run's options declare takes precedence over the program's active span. */
function runSpan({ options }: RunContext, parent: TraceHeaders): SpanStart {
  return {
    name: `invoke_agent ${options.agent.name}`,
    kind: 'internal',
    parent,
    prefersActive: parent.traceparent === process.env['TRACEPARENT'],
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': options.agent.name,
      'truecast.mode': options.mode,
      'truecast.sandbox': options.sandbox.name,
    },
  };
}

async function endAttributes({ options, progress }: RunContext): Promise<SpanAttributes> {
  const { output, agent } = options;
  const model = progress.model ?? agent.model;
  return {
    'gen_ai.provider.name': providerOf(model) ?? agent.modelProvider,
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': progress.sessionId,
    'truecast.attempts': progress.attempts.length,
    'truecast.schema_hash': output === undefined ? undefined : await schemaHashOf(output),
    ...usageAttributes(totalUsage(progress)),
  };
}

/** The prefix of `provider/model`. */
function providerOf(model = ''): string | undefined {
  return /^([^/]+)\//.exec(model)?.[1];
}

/** Open spans of tool calls. */
interface ToolSpans {
  observe(event: AgentEvent | LifecycleEvent): void;
  /** Ends the spans of calls without a result. */
  end(): Promise<void>;
}

interface OpenCall {
  readonly id: string | undefined;
  readonly result: PromiseWithResolvers<{ readonly isError: boolean }>;
  readonly ended: Promise<void>;
}

/** Calls beyond this number get no span, because an agent can start calls without end. */
const MAX_OPEN_CALLS = 1_000;

function createToolSpans(trace: Trace): ToolSpans {
  const open = new Set<OpenCall>();
  const close = (call: OpenCall, isError: boolean): void => {
    open.delete(call);
    call.result.resolve({ isError });
  };
  return {
    observe(event) {
      if (event.type === 'tool-call' && open.size < MAX_OPEN_CALLS) open.add(startCall(trace, event));
      if (event.type !== 'tool-result') return;
      const call = [...open].find(({ id }) => id === event.id);
      if (call !== undefined) close(call, event.isError);
    },
    async end() {
      const calls = [...open];
      for (const call of calls) close(call, false);
      await Promise.all(calls.map(({ ended }) => ended));
    },
  };
}

function startCall(trace: Trace, { id, name }: AgentEvent & { readonly type: 'tool-call' }): OpenCall {
  const result: OpenCall['result'] = Promise.withResolvers();
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.id': id,
  };
  const ended = trace({ name: `execute_tool ${name}`, kind: 'internal', attributes }, async (span) => {
    const { isError } = await result.promise;
    if (isError) span.set({ 'error.type': 'tool_error' });
  });
  return { id, result, ended };
}
