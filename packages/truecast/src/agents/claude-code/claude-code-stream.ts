/**
 * Stream parser for Claude Code's stream-json lines.
 *
 * system/init → session · stream_event deltas and assistant → text, thinking, tool-call · user →
 * tool-result · result → usage, then end or error
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import {
  readClaudeCodeLine,
  type AssistantLine,
  type ClaudeCodeBlock,
  type ClaudeCodeLine,
  type RateLimitLine,
  type ResultLine,
  type StreamLine,
  type SystemLine,
  type UserLine,
} from './claude-code-lines.ts';
import { createClaudeCodeUsage, type ClaudeCodeUsage } from './claude-code-usage.ts';
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { createJsonLineParser, toolResultText } from '../stream/json-line-parser.ts';

/**
 * Creates a parser for one process. Text and tools of sub-agents are skipped. Their usage is
 * counted.
 */
export function createClaudeCodeStreamParser(): AgentStreamParser {
  const state: StreamState = {
    sessionId: undefined,
    streamed: { text: '', thinking: '' },
    usage: createClaudeCodeUsage(),
    limitResetsAt: undefined,
    submitted: undefined,
  };
  return createJsonLineParser({
    mayMatter,
    readValue(value, text) {
      const line = readClaudeCodeLine(value);
      return line === undefined ? [] : readLine(line, text, state);
    },
  });
}

interface StreamState {
  sessionId: string | undefined;
  /** Text that deltas have already emitted. The next assistant line repeats the whole block. */
  streamed: { text: string; thinking: string };
  readonly usage: ClaudeCodeUsage;
  /** Reset time of the plan limit that was reached last. */
  limitResetsAt: Date | undefined;
  /** The last call of the schema mode's tool that the CLI did not reject. Its final event can lack it. */
  submitted: { readonly id: string | undefined; readonly input: unknown } | undefined;
}

/** The tool with which the CLI's schema mode receives the answer. */
const ANSWER_TOOL = 'StructuredOutput';

/**
 * `type` is not necessarily the first key of a line. Most lines of a long stream are deltas of tool
 * inputs and status updates.
 */
function mayMatter(line: string): boolean {
  if (line.includes('"stream_event"')) {
    return (
      line.includes('"text_delta"') || line.includes('"thinking_delta"') || line.includes('"message_start"')
    );
  }
  if (line.includes('"system"')) {
    return ['"init"', '"api_retry"', '"permission_denied"', '"assistant"', '"user"', '"result"'].some(
      (word) => line.includes(word),
    );
  }
  return ['"assistant"', '"user"', '"result"', '"rate_limit_event"'].some((word) => line.includes(word));
}

function readLine(line: ClaudeCodeLine, text: string, state: StreamState): readonly AgentEvent[] {
  switch (line.type) {
    case 'system':
      return readSystem(line, state);
    case 'assistant':
      return readAssistant(line, state);
    case 'user':
      return isSubAgent(line) ? [] : readToolResults(line, state);
    case 'stream_event':
      return isSubAgent(line) ? [] : readDelta(line, state);
    case 'result':
      return readResult(line, text, state);
    case 'rate_limit_event':
      return readLimit(line, state);
    default:
      return line satisfies never;
  }
}

function isSubAgent(line: { readonly parent_tool_use_id?: string | null | undefined }): boolean {
  return typeof line.parent_tool_use_id === 'string';
}

function readSystem(line: SystemLine, state: StreamState): readonly AgentEvent[] {
  switch (line.subtype) {
    case 'init':
      if (line.session_id === undefined || line.session_id === state.sessionId) return [];
      state.sessionId = line.session_id;
      return [{ type: 'session', sessionId: line.session_id }];
    case 'api_retry': {
      const { attempt, max_retries: max, error_status: status, error } = line;
      const reason = [status, error].filter((part) => part !== undefined && part !== null).join(' ');
      return [
        {
          type: 'warning',
          message: `A request to the model failed (${reason}); retry ${attempt ?? '?'} of ${max ?? '?'}.`,
          ...(typeof status === 'number' && { statusCode: status }),
        },
      ];
    }
    case 'permission_denied':
      return [
        {
          type: 'warning',
          message: `The tool ${line.tool_name ?? ''} was not allowed: ${cut(line.message ?? '')}`,
        },
      ];
    default:
      return [];
  }
}

function readAssistant(line: AssistantLine, state: StreamState): readonly AgentEvent[] {
  // The CLI reports an API failure as message text. It is not agent text.
  if (line.is_api_error_message === true) return [{ type: 'warning', message: cut(readWords(line)) }];
  const usage = state.usage.addMessage(line);
  const { model } = line.message;
  const events: AgentEvent[] = isSubAgent(line)
    ? []
    : line.message.content.flatMap((block) => readBlock(block, state));
  if (usage !== undefined) events.push({ type: 'usage', usage, ...(model !== undefined && { model }) });
  return events;
}

function readWords(line: AssistantLine): string {
  return line.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function readBlock(block: ClaudeCodeBlock, state: StreamState): readonly AgentEvent[] {
  switch (block.type) {
    case 'text':
      return restOf('text', block.text, state);
    case 'thinking':
      return restOf('thinking', block.thinking, state);
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const { id, name, input } = block;
      if (name === ANSWER_TOOL) state.submitted = { id, input };
      return [{ type: 'tool-call', ...(id !== undefined && { id }), name, input }];
    }
    case 'tool_result':
    case 'other':
      return [];
    default:
      return block satisfies never;
  }
}

/** Returns the part of a whole block that its deltas have not emitted yet. */
function restOf(type: 'text' | 'thinking', whole: string, { streamed }: StreamState): readonly AgentEvent[] {
  const text = whole.startsWith(streamed[type]) ? whole.slice(streamed[type].length) : whole;
  streamed[type] = '';
  return text === '' ? [] : [{ type, text }];
}

function readDelta({ event }: StreamLine, state: StreamState): readonly AgentEvent[] {
  if (event.type === 'message_start') state.streamed = { text: '', thinking: '' };
  if (event.type !== 'content_block_delta' || event.delta === undefined) return [];
  const { text, thinking } = event.delta;
  if (event.delta.type === 'text_delta' && text !== undefined && text !== '') {
    state.streamed.text += text;
    return [{ type: 'text', text }];
  }
  if (event.delta.type === 'thinking_delta' && thinking !== undefined && thinking !== '') {
    state.streamed.thinking += thinking;
    return [{ type: 'thinking', text: thinking }];
  }
  return [];
}

function readToolResults(line: UserLine, state: StreamState): readonly AgentEvent[] {
  return line.message.content.flatMap((block): AgentEvent[] => {
    if (block.type !== 'tool_result') return [];
    const { tool_use_id: id, content, is_error: isError } = block;
    if (isError === true && id === state.submitted?.id) state.submitted = undefined;
    return [
      {
        type: 'tool-result',
        ...(id !== undefined && { id }),
        output: toolResultText(content),
        isError: isError === true,
      },
    ];
  });
}

function readLimit({ rate_limit_info: limit }: RateLimitLine, state: StreamState): readonly AgentEvent[] {
  if (limit.status === 'rejected' && typeof limit.resetsAt === 'number') {
    state.limitResetsAt = new Date(limit.resetsAt * 1000);
  }
  return [];
}

/** The model produced no answer that fits the schema. */
const ANSWER_MISSING = 'error_max_structured_output_retries';

function readResult(line: ResultLine, text: string, state: StreamState): readonly AgentEvent[] {
  const usage = state.usage.addResult(line);
  const events: AgentEvent[] = usage === undefined ? [] : [{ type: 'usage', usage }];
  const { api_error_status: status, result, structured_output: value } = line;
  // `subtype` is "success" even if the model service refused the request.
  if (line.is_error || line.subtype !== 'success' || typeof status === 'number') {
    const message =
      [line.errors?.join(' '), result].find((said) => said !== undefined && said !== '') ?? line.subtype;
    return [
      ...events,
      {
        type: 'error',
        message,
        ...(typeof status === 'number' && { statusCode: status }),
        ...(state.limitResetsAt !== undefined && { resetsAt: state.limitResetsAt }),
        ...(line.subtype === ANSWER_MISSING && { isAnswerMissing: true }),
      },
    ];
  }
  return [
    ...events,
    {
      type: 'end',
      ...(result !== undefined && { text: result }),
      ...(value !== undefined && { value, ...valueTextOf(text) }),
      ...(value === undefined &&
        state.submitted !== undefined && { value: state.submitted.input, isFromCall: true }),
    },
  ];
}

function valueTextOf(line: string): { readonly valueText?: string } {
  const valueText = memberText(line, ['structured_output']);
  return valueText === undefined ? {} : { valueText };
}
