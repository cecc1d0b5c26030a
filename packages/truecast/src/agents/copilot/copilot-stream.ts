/**
 * Stream parser for Copilot's JSON lines.
 *
 * session.start → session · assistant deltas and whole messages → text, thinking ·
 * tool.execution_start/complete → tools · result → session, then end or error · earlier
 * session.usage_record and the usage file → usage
 */
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import {
  readCopilotLine,
  readCopilotTotals,
  type CopilotLine,
  type CopilotTokens,
  type CopilotTotals,
} from './copilot-lines.ts';
import { createJsonLineParser, idOf, toolResultText } from '../stream/json-line-parser.ts';

const TYPES = [
  '"assistant.message',
  '"assistant.reasoning',
  '"assistant.turn_retry"',
  '"tool.execution_start"',
  '"tool.execution_complete"',
  '"session.start"',
  '"session.warning"',
  '"session.error"',
  '"session.usage_record"',
  '"result"',
  '"modelMetrics"',
];

interface StreamState {
  sessionId: string | undefined;
  /** Text already emitted from deltas of the current message and thought. */
  readonly streamed: Record<'text' | 'thinking', { id: string; text: string }>;
  lastText: string | undefined;
  failure: Extract<AgentEvent, { type: 'error' }> | undefined;
  /** Usage of the session before this process. */
  usedBefore: Usage | undefined;
  /** The last event, held until the usage is reported. */
  ending: AgentEvent | undefined;
}

/**
 * Creates a parser for one process. Text and tools of sub-agents are skipped. Their usage is
 * counted.
 */
export function createCopilotStreamParser(): AgentStreamParser {
  const state: StreamState = {
    sessionId: undefined,
    streamed: { text: { id: '', text: '' }, thinking: { id: '', text: '' } },
    lastText: undefined,
    failure: undefined,
    usedBefore: undefined,
    ending: undefined,
  };
  const parser = createJsonLineParser({
    mayMatter: (line) => TYPES.some((type) => line.includes(type)),
    readValue(value) {
      const line = readCopilotLine(value);
      if (line !== undefined) return line.agentId === undefined ? readLine(line, state) : [];
      const totals = readCopilotTotals(value);
      return totals === undefined ? [] : readTotals(totals, state);
    },
  });
  return {
    push: (chunk) => parser.push(chunk),
    end: () => [...parser.end(), ...finish(state)],
  };
}

function readLine(line: CopilotLine, state: StreamState): readonly AgentEvent[] {
  switch (line.type) {
    case 'assistant.message_delta':
      return readDelta('text', line.data.messageId, line.data.deltaContent, state);
    case 'assistant.reasoning_delta':
      return readDelta('thinking', line.data.reasoningId, line.data.deltaContent, state);
    case 'assistant.message':
      if (line.data.content !== '') state.lastText = line.data.content;
      return restOf('text', line.data.messageId, line.data.content, state);
    case 'assistant.reasoning':
      return restOf('thinking', line.data.reasoningId, line.data.content, state);
    case 'tool.execution_start': {
      const { toolCallId, toolName, arguments: input } = line.data;
      return [{ type: 'tool-call', ...idOf(toolCallId), name: toolName, input }];
    }
    case 'tool.execution_complete':
      return [readToolResult(line.data)];
    case 'assistant.turn_retry':
      return [
        {
          type: 'warning',
          message: `A request to the model failed (${line.data.reason}); it is sent again.`,
        },
      ];
    case 'session.start':
      return tellSession(line.data.sessionId, state);
    case 'session.warning':
      return [{ type: 'warning', message: line.data.message }];
    case 'session.error':
      return holdFailure(line.data, state);
    case 'session.usage_record':
      state.usedBefore = sumUsage([state.usedBefore, toUsage(line.data.usage)]);
      return [];
    case 'result':
      return readResult(line, state);
    default:
      return line satisfies never;
  }
}

function readDelta(
  type: 'text' | 'thinking',
  id: string,
  text: string,
  { streamed }: StreamState,
): readonly AgentEvent[] {
  if (text === '') return [];
  if (streamed[type].id !== id) streamed[type] = { id, text: '' };
  streamed[type].text += text;
  return [{ type, text }];
}

/** Returns the part of a whole text that its deltas have not emitted yet. */
function restOf(
  type: 'text' | 'thinking',
  id: string,
  whole: string,
  { streamed }: StreamState,
): readonly AgentEvent[] {
  const told = streamed[type].id === id ? streamed[type].text : '';
  const text = whole.startsWith(told) ? whole.slice(told.length) : '';
  return text === '' ? [] : [{ type, text }];
}

function readToolResult(data: Extract<CopilotLine, { type: 'tool.execution_complete' }>['data']): AgentEvent {
  const output =
    data.result === undefined ? (data.error?.message ?? '') : toolResultText(data.result.content);
  // The CLI reports every command that ran as a success, whatever its exit code.
  const isError = !data.success || (data.shellExecution?.exitCode ?? 0) !== 0;
  return { type: 'tool-result', ...idOf(data.toolCallId), output, isError };
}

/** The following `result` line shows whether the error was fatal. */
function holdFailure(
  { message, statusCode }: Extract<CopilotLine, { type: 'session.error' }>['data'],
  state: StreamState,
): readonly AgentEvent[] {
  state.failure = {
    type: 'error',
    message: message === '' ? 'The agent failed without a reason.' : message,
    ...(statusCode !== undefined && { statusCode }),
  };
  return [];
}

function readResult(
  { sessionId, exitCode }: Extract<CopilotLine, { type: 'result' }>,
  state: StreamState,
): readonly AgentEvent[] {
  const { failure, lastText } = state;
  state.failure = undefined;
  state.ending =
    exitCode === 0
      ? { type: 'end', ...(lastText !== undefined && { text: lastText }) }
      : (failure ?? { type: 'error', message: `The agent ended with exit code ${exitCode}.` });
  return tellSession(sessionId, state);
}

function tellSession(sessionId: string, state: StreamState): readonly AgentEvent[] {
  if (sessionId === state.sessionId) return [];
  state.sessionId = sessionId;
  return [{ type: 'session', sessionId }];
}

function readTotals(totals: CopilotTotals, state: StreamState): readonly AgentEvent[] {
  const used = sumUsage(Object.values(totals.modelMetrics).map(({ usage }) => toUsage(usage)));
  if (used === undefined) return finish(state);
  const { currentModel: model } = totals;
  const usage = subtract(used, state.usedBefore);
  return [{ type: 'usage', usage, ...(model !== undefined && { model }) }, ...finish(state)];
}

function finish(state: StreamState): readonly AgentEvent[] {
  const last = state.ending ?? state.failure;
  state.ending = undefined;
  state.failure = undefined;
  return last === undefined ? [] : [last];
}

function toUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: CopilotTokens): Usage {
  return {
    inputTokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    outputTokens,
    cacheCreationInputTokens: cacheWriteTokens,
    cacheReadInputTokens: cacheReadTokens,
  };
}

function subtract(total: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return total;
  const less = (pick: (usage: Usage) => number): number => Math.max(0, pick(total) - pick(before));
  return {
    inputTokens: less((usage) => usage.inputTokens),
    outputTokens: less((usage) => usage.outputTokens),
    cacheCreationInputTokens: less((usage) => usage.cacheCreationInputTokens),
    cacheReadInputTokens: less((usage) => usage.cacheReadInputTokens),
  };
}
