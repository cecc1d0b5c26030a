/** Spans of a run: the run, its steps and its tool calls. Names, codes and counts only, no content. */
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { schemaHashOf } from '@truecast/core/internal/output/definition/schema-hash';
import { traceEnvironment, traceOf, type TraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import { openSpans, type SpanAttributes, type SpanStart } from '@truecast/model/internal/telemetry/tracing';
import { usageAttributes } from '@truecast/model/internal/telemetry/usage-attributes';
import type { RunContext } from './run-context.ts';
import { totalUsage } from './run-progress.ts';
import { createToolSpans } from './tool-spans.ts';

/** Runs `work` in the span of its run. The agent gets the span's headers in its environment. */
export async function traceRun<T>(
  context: RunContext,
  inside: Readonly<Record<string, string>>,
  work: (context: RunContext) => Promise<T>,
): Promise<T> {
  const trace = await openSpans('truecast');
  const parent = traceOf({ traceparent: inside['TRACEPARENT'], tracestate: inside['TRACESTATE'] });
  return trace(runSpan(context, parent), async (span) => {
    const child: RunContext['trace'] = (start, next) => trace({ ...start, parent: span }, next);
    // A span that is not recorded costs nothing, and its headers are not passed on.
    const isRecorded = span.traceparent.endsWith('1') && span.traceparent !== parent.traceparent;
    const tools = isRecorded ? createToolSpans(child) : undefined;
    const emit: RunContext['emit'] = (event) => {
      context.emit(event);
      if (event.type === 'sandbox-ready') span.set({ 'truecast.egress': event.egress });
      if (event.type === 'run-end') span.set({ 'truecast.commits': event.evidence.commits.length });
      tools?.observe(event);
    };
    const traceEnv = isRecorded ? traceEnvironment(span) : {};
    try {
      return await work({ ...context, emit, trace: child, traceEnv });
    } catch (error) {
      span.set({ 'truecast.code': TruecastError.isInstance(error) ? error.code : 'aborted' });
      throw error;
    } finally {
      await tools?.end();
      if (isRecorded) span.set(await endAttributes(context));
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
      'truecast.route': options.route,
      'truecast.sandbox': options.sandbox.name,
    },
  };
}

async function endAttributes({ options, progress }: RunContext): Promise<SpanAttributes> {
  const { output, agent } = options;
  return {
    'gen_ai.request.model': progress.model ?? agent.model,
    'gen_ai.conversation.id': progress.sessionId,
    'truecast.attempts': progress.attempts.length,
    'truecast.schema_hash': output === undefined ? undefined : await schemaHashOf(output),
    ...usageAttributes(totalUsage(progress)),
  };
}
