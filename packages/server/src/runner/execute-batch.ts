/**
 * Tool execution: claims each call of a step, runs them, and commits all results at once, in the
 * order of the calls.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { toReceiptUsage } from '../contract/receipt.ts';
import type { ToolCallPart, ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import type { ObservedToolCall } from '../contract/observed-work.ts';
import type { MessageRow, RowPart } from '../contract/rows.ts';
import { toTime } from '../contract/to-time.ts';
import { sha256 } from './sha256.ts';
import type { ToolCallResult } from '../state/rows/tool-ledger.ts';
import { traceOf, type TraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import { passTrace } from '@truecast/model/internal/telemetry/tracing';
import { toolFailure, type ServerTool, type ToolContext, type ToolOutcome } from '../tools/server-tool.ts';
import type { Decision } from '../turn/decide.ts';
import { syntheticResult } from '../turn/synthetic-results.ts';
import { resultBudgetBytes, truncateResult } from '../turn/truncate-result.ts';
import { stepsOf } from '../contract/turn-rows.ts';
import { errorText } from './error-text.ts';
import type { LoadedTurn } from './load-turn.ts';
import type { StepResult, TurnRun } from './turn-run.ts';

const SLOW_CALL_MS = 5_000;

/** Runs a batch concurrently and commits its results. */
export async function executeBatch(
  run: TurnRun,
  turn: LoadedTurn,
  { calls, refused }: Extract<Decision, { readonly type: 'execute-tools' }>,
): Promise<StepResult> {
  const step = stepsOf(turn.view.turn ?? []).at(-1);
  if (step === undefined) return 'go-on';
  const all = await Promise.all(calls.map(async (call) => runCall(run, turn, step, call)));
  if (run.watch.reason() === 'lost') return 'lost';
  const ran = run.watch.reason() === 'shutdown' ? all.filter((each) => !continues(run, each.part)) : all;
  if (ran.length + refused.length === 0) return 'go-on';
  // An interruption can also happen before the commit below, which is then rejected. The state
  // machine answers the other calls: a started call can have stopped at any point.
  run.toldWhenStopped = ran.filter(({ part }) => tellsWhenStopped(run, part));
  if (run.watch.reason() === 'interrupting') return 'go-on';
  const notRun = refused.map((part) => toResult(step, part, 'no_effect'));
  for (const { tool_name } of refused) observe(run, tool_name, { outcome: 'not_run' });
  const order = new Map(step.parts.flatMap((part, at) => (isCall(part) ? [[part.tool_call_id, at]] : [])));
  const results = [...ran, ...notRun].toSorted(
    (one, other) => (order.get(one.toolCallId) ?? 0) - (order.get(other.toolCallId) ?? 0),
  );
  const { fence } = await run.ports.machine.commitToolResults(run.fence, { results });
  run.fence = fence;
  run.toldWhenStopped = [];
  return 'go-on';
}

function tellsWhenStopped({ prepared }: TurnRun, { tool_name, synthetic }: ToolResultPart): boolean {
  return synthetic === undefined && prepared.serverTools.get(tool_name)?.tellsWhenStopped === true;
}

/** The next worker repeats such a call, and gets the result of the same work. */
function continues({ prepared }: TurnRun, { tool_name }: ToolResultPart): boolean {
  return prepared.serverTools.get(tool_name)?.isDurable === true;
}

function isCall(part: RowPart): part is ToolCallPart {
  return part.type === 'tool_call';
}

async function runCall(
  run: TurnRun,
  turn: LoadedTurn,
  step: MessageRow,
  call: ToolCallPart,
): Promise<ToolCallResult> {
  const key = { messageId: step.id, toolCallId: call.tool_call_id };
  const claim = await run.ports.machine.claimTool(run.fence, { ...key, inputHash: sha256(call.args) });
  if (claim !== 'claimed') {
    observe(run, call.tool_name, { outcome: 'unknown' });
    return toResult(step, syntheticResult(call, 'unknown'), 'unknown');
  }
  const startedMs = performance.now();
  const startedAt = Date.now();
  const outcome = await tracedTool(run, call, (trace) => runTool(run, turn, step, { call, trace }));
  const durationMs = performance.now() - startedMs;
  observe(run, call.tool_name, { outcome: outcome.isError ? 'error' : 'ok', durationMs });
  const budget = resultBudgetBytes(run.prepared.model.contextTokens);
  const times = { started_at: toTime(startedAt), ended_at: toTime(startedAt + durationMs) };
  const part = truncateResult({ ...toPart(call, outcome), ...times }, budget);
  return toResult(step, part, 'done');
}

/** Runs a call in a span, without its arguments and its result. */
function tracedTool(
  { ports: { trace = passTrace }, prepared, origin }: TurnRun,
  { tool_name, tool_call_id }: ToolCallPart,
  work: (trace: TraceHeaders) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const tool = prepared.facts.has(tool_name) ? tool_name : 'unknown';
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': tool_call_id,
  };
  return trace(
    { name: `execute_tool ${tool}`, kind: 'internal', parent: origin, attributes },
    async (span) => {
      const outcome = await work(traceOf(span));
      if (outcome.isError) span.set({ 'error.type': 'tool_error' });
      return outcome;
    },
  );
}

/** A model can invent a name, so only known names are reported. */
function observe(
  { ports, prepared, origin }: TurnRun,
  name: string,
  ended: Pick<ObservedToolCall, 'outcome' | 'durationMs'>,
): void {
  const tool = prepared.facts.has(name) ? { tool: name } : {};
  ports.onToolCall?.({ origin, ...tool, runBy: 'server', ...ended });
}

async function runTool(
  run: TurnRun,
  { chat }: LoadedTurn,
  step: MessageRow,
  { call, trace }: { readonly call: ToolCallPart; readonly trace: TraceHeaders },
): Promise<ToolOutcome> {
  const tool: ServerTool | undefined = run.prepared.serverTools.get(call.tool_name);
  if (tool === undefined) return toolFailure(`There is no tool ${call.tool_name} in this turn.`);
  const input = parseJson(call.args);
  if (!input.success) return toolFailure(`The arguments are not valid JSON: ${input.reason}`);
  try {
    const { signal } = run.watch;
    const whileWaiting: ToolContext['whileWaiting'] = (wait) =>
      run.ports.whileWaiting === undefined ? wait() : run.ports.whileWaiting(wait, signal);
    const context: ToolContext = {
      chatId: chat.id,
      workspaceId: chat.parentId ?? chat.id,
      ownerId: chat.ownerId,
      messageId: step.id,
      toolCallId: call.tool_call_id,
      signal,
      ...trace,
      whileWaiting,
    };
    // The value was parsed from JSON text.
    const running = tool.run(input.value as JsonValue, context);
    return await (tool.server === undefined ? running : asideIfSlow(run, running, context));
  } catch (error) {
    return toolFailure(`The tool failed: ${errorText(run.ports, error)}`);
  }
}

/**
 * Waits for a call of an MCP server, without the turn's slot if it is slow: another process does
 * the work, and can hang. Other tools use this machine, whose load the slots limit.
 */
async function asideIfSlow(
  { ports: { slowCallMs = SLOW_CALL_MS } }: TurnRun,
  running: Promise<ToolOutcome>,
  { whileWaiting }: ToolContext,
): Promise<ToolOutcome> {
  const waiting = new AbortController();
  const slow = sleep(slowCallMs, 'slow' as const, { signal: waiting.signal, ref: false });
  const ended = running.then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  const first = await Promise.race([ended, slow]);
  waiting.abort();
  return first === 'slow' ? whileWaiting(() => running) : running;
}

function toPart(
  { tool_call_id, tool_name }: ToolCallPart,
  { result, isError, usage }: ToolOutcome,
): ToolResultPart {
  const used = usage === undefined ? {} : { usage: toReceiptUsage(usage) };
  return { type: 'tool_result', tool_call_id, tool_name, result, is_error: isError, ...used };
}

function toResult(
  step: MessageRow,
  part: ToolResultPart,
  effect: NonNullable<ToolCallResult['effect']>,
): ToolCallResult {
  return { messageId: step.id, toolCallId: part.tool_call_id, part, effect };
}
