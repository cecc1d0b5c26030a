/** Calls of one step: run concurrently, each with exactly one result for the model. */
import type { ToolModelMessage } from 'ai';
import { REPEATED_RESULT } from '@truecast/core/internal/output/finalizer/answer-loop';
import { CALL_FINALIZER, FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { StepCall } from '@truecast/core/internal/errors/base/answer-step';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { createModelMask } from '../call/model-mask.ts';
import type { ModelToolCall } from '../call/model-reply.ts';
import { failed, runTool, type ToolResult } from '../tools/run-tool.ts';
import type { Work } from './work.ts';

/** A call with its result. */
export interface AnsweredCall extends ToolResult {
  readonly call: ModelToolCall;
}

export interface RanCall extends AnsweredCall, Pick<StepCall, 'durationMs'> {
  /** True if the same call had the same result at least twice before. */
  readonly isRepeated: boolean;
}

/** Runs the calls. None of them is run if the step can only be the answer. */
export function runCalls(
  work: Work,
  calls: readonly ModelToolCall[],
  isAnswerDue: boolean,
): Promise<readonly RanCall[]> {
  const messages = [...work.conversation.settings.messages, ...work.done];
  return Promise.all(
    calls.map(async (call) => {
      const startedAtMs = performance.now();
      const result = isAnswerDue ? failed(NOT_OFFERED) : await runCall(work, call, messages);
      return told(work, call, { ...result, durationMs: Math.round(performance.now() - startedAtMs) });
    }),
  );
}

const NOT_OFFERED = `Not run: only the answer can follow now. ${CALL_FINALIZER.now}`;

/** A model that repeats a call does not see that it does. */
function told(
  { isRepetition }: Work,
  call: ModelToolCall,
  { text, ...rest }: ToolResult & Pick<StepCall, 'durationMs'>,
): RanCall {
  const isRepeated = isRepetition({
    name: call.toolName,
    args: JSON.stringify(call.input) ?? '',
    result: text,
  });
  return { ...rest, call, isRepeated, text: isRepeated ? `${text}\n\n${REPEATED_RESULT}` : text };
}

/** Runs a call in a span, without its arguments and its result. */
function runCall(work: Work, call: ModelToolCall, messages: readonly unknown[]): Promise<ToolResult> {
  const { conversation, tools } = work;
  const { model, headers, signal } = conversation.options;
  const { toolName, toolCallId, input } = call;
  const tool = tools.get(toolName);
  if (tool === undefined) {
    const names = [...tools.keys(), FINALIZER_NAME].map((name) => `\`${name}\``);
    return Promise.resolve(
      failed(`There is no tool \`${cut(toolName)}\`. The tools are ${names.join(', ')}.`),
    );
  }
  if (call.isUnreadable) {
    return Promise.resolve(
      failed(`The arguments are not valid JSON. Call \`${toolName}\` again, with valid arguments.`),
    );
  }
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName,
    'gen_ai.tool.call.id': toolCallId,
  };
  return conversation.trace(
    { name: `execute_tool ${toolName}`, kind: 'internal', attributes },
    async (span) => {
      const mask = (text: string): string => createModelMask(model, headers).mask(text);
      const result = await runTool(tool, input, { toolCallId, signal, messages, mask });
      if (result.isError) span.set({ 'error.type': 'tool_error' });
      return result;
    },
  );
}

/** Returns the message with the results. A service rejects a conversation with an open call. */
export function toolMessageOf(answered: readonly AnsweredCall[]): ToolModelMessage {
  const content = answered.map(({ call: { toolCallId, toolName }, text, isError }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: isError ? ('error-text' as const) : ('text' as const), value: text },
  }));
  return { role: 'tool', content };
}
