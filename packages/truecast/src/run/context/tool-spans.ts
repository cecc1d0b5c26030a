/** Spans of an agent's tool calls, from the events of the stream. */
import type { Trace } from '@truecast/model/internal/telemetry/tracing';
import type { AgentEvent } from '../../ports/agent-provider.ts';
import type { LifecycleEvent } from '../events/run-events.ts';

/** Open spans of tool calls. */
export interface ToolSpans {
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

/** Creates the spans with `trace`. */
export function createToolSpans(trace: Trace): ToolSpans {
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
