/**
 * Stream parser for Pi's `--mode json` lines.
 *
 * session → session · message_update deltas and message_end → text, thinking, usage ·
 * tool_execution_start/end → tools · agent_end → end, or an error if no retry follows
 */
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { idOf, toolResultText } from '../stream/json-line-parser.ts';
import { createLineParser } from '../stream/stream-lines.ts';
import { readPiDelta, readPiLine, type PiLine, type PiMessage, type PiUsage } from './pi-lines.ts';

const TYPES = ['"session"', '"message_end"', '"tool_execution_', '"agent_end"', '"auto_retry_'];

interface StreamState {
  /** Text already emitted from deltas of the current message. */
  streamed: { text: string; thinking: string };
  usage: Usage | undefined;
  lastMessage: PiMessage | undefined;
  /** A failure from which a retry can recover. */
  failure: Extract<AgentEvent, { type: 'error' }> | undefined;
}

export function createPiStreamParser(): AgentStreamParser {
  const state: StreamState = {
    streamed: { text: '', thinking: '' },
    usage: undefined,
    lastMessage: undefined,
    failure: undefined,
  };
  const parser = createLineParser({ readLine: (text) => readLine(text, state) });
  return {
    push: (chunk) => parser.push(chunk),
    end: () => [...parser.end(), ...giveUp(state)],
  };
}

function readLine(text: string, state: StreamState): readonly AgentEvent[] {
  if (text.startsWith('{"type":"message_update"')) return readDelta(text, state);
  if (text.startsWith('{"type":"tool_execution_update"') || !TYPES.some((type) => text.includes(type))) {
    return [];
  }
  const line = readPiLine(jsonValueOf(text));
  return line === undefined ? [] : readPiEvents(line, state);
}

function readDelta(text: string, { streamed }: StreamState): readonly AgentEvent[] {
  const delta = readPiDelta(text);
  if (delta === undefined || delta.text === '') return [];
  streamed[delta.type] += delta.text;
  return [delta];
}

function readPiEvents(line: PiLine, state: StreamState): readonly AgentEvent[] {
  switch (line.type) {
    case 'session':
      return [{ type: 'session', sessionId: line.id }];
    case 'message_end':
      return endMessage(line.message, state);
    case 'tool_execution_start':
      return [{ type: 'tool-call', ...idOf(line.toolCallId), name: line.toolName, input: line.args }];
    case 'tool_execution_end':
      return [
        {
          type: 'tool-result',
          ...idOf(line.toolCallId),
          output: toolResultText(line.result.content),
          isError: line.isError,
        },
      ];
    case 'agent_end':
      return endAgent(state);
    case 'auto_retry_start':
      return [
        {
          type: 'warning',
          message: `A request to the model failed (${line.errorMessage}); retry ${line.attempt} of ${line.maxAttempts}.`,
        },
      ];
    case 'auto_retry_end':
      return line.success ? [] : giveUp(state);
    default:
      return line satisfies never;
  }
}

function endMessage(message: PiMessage, state: StreamState): readonly AgentEvent[] {
  const { streamed } = state;
  state.streamed = { text: '', thinking: '' };
  state.lastMessage = message;
  const events: AgentEvent[] = [
    ...restOf('thinking', textOf(message, 'thinking'), streamed.thinking),
    ...restOf('text', textOf(message, 'text'), streamed.text),
  ];
  if (message.usage === undefined || isEmpty(message.usage)) return events;
  state.usage = sumUsage([state.usage, toUsage(message.usage)]);
  if (state.usage === undefined) return events;
  const { model } = message;
  return [...events, { type: 'usage', usage: state.usage, ...(model !== undefined && { model }) }];
}

function textOf({ content }: PiMessage, type: 'text' | 'thinking'): string {
  return content
    .map((block) => {
      if (block.type !== type) return '';
      return block.type === 'text' ? block.text : block.thinking;
    })
    .join('');
}

/** Returns the part of a whole text that its deltas have not emitted yet. */
function restOf(type: 'text' | 'thinking', whole: string, streamed: string): readonly AgentEvent[] {
  const text = whole.startsWith(streamed) ? whole.slice(streamed.length) : '';
  return text === '' ? [] : [{ type, text }];
}

function isEmpty({ input, output, cacheRead, cacheWrite }: PiUsage): boolean {
  return input + output + cacheRead + cacheWrite === 0;
}

function toUsage({ input, output, cacheRead, cacheWrite, cost }: PiUsage): Usage {
  return {
    inputTokens: input,
    outputTokens: output,
    cacheCreationInputTokens: cacheWrite,
    cacheReadInputTokens: cacheRead,
    // The CLI reports a cost of 0 for a model with unknown prices. That is not a price.
    ...(cost.total > 0 && { costUsd: cost.total }),
  };
}

/** The CLI always exits with 0. Only its last message shows a failure. */
function endAgent(state: StreamState): readonly AgentEvent[] {
  const message = state.lastMessage;
  if (message?.stopReason === 'error' || message?.stopReason === 'aborted') {
    state.failure = toFailure(message.errorMessage ?? `The agent stopped: ${message.stopReason}.`);
    return [];
  }
  state.failure = undefined;
  const text = message === undefined ? '' : textOf(message, 'text');
  return [{ type: 'end', ...(text !== '' && { text }) }];
}

function giveUp(state: StreamState): readonly AgentEvent[] {
  const { failure } = state;
  state.failure = undefined;
  return failure === undefined ? [] : [failure];
}

function toFailure(message: string): Extract<AgentEvent, { type: 'error' }> {
  const [, status] = /^([45]\d{2})\b/u.exec(message) ?? [];
  return { type: 'error', message, ...(status !== undefined && { statusCode: Number(status) }) };
}
