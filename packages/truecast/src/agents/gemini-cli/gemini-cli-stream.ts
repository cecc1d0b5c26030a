/**
 * Stream parser for Gemini CLI's `stream-json` lines.
 *
 * init → session · message deltas of the assistant → text · tool_use/tool_result → tools · error →
 * warning · result → usage, then end or error
 */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { readGeminiLine, type GeminiLine, type GeminiStats } from './gemini-cli-lines.ts';
import { createJsonLineParser, idOf } from '../stream/json-line-parser.ts';

/** The model's text since its last tool call. */
interface StreamState {
  said: string;
}

export function createGeminiStreamParser(): AgentStreamParser {
  const state: StreamState = { said: '' };
  return createJsonLineParser({
    mayMatter: (line) => line.includes('"type"'),
    readValue(value) {
      const line = readGeminiLine(value);
      return line === undefined ? [] : readGeminiEvents(line, state);
    },
  });
}

function readGeminiEvents(line: GeminiLine, state: StreamState): readonly AgentEvent[] {
  switch (line.type) {
    case 'init':
      return [{ type: 'session', sessionId: line.session_id }];
    case 'message':
      // The stream echoes the prompt with the role `user`.
      if (line.role !== 'assistant' || line.content === '') return [];
      state.said += line.content;
      return [{ type: 'text', text: line.content }];
    case 'tool_use':
      state.said = '';
      return [{ type: 'tool-call', ...idOf(line.tool_id), name: line.tool_name, input: line.parameters }];
    case 'tool_result':
      return [
        {
          type: 'tool-result',
          ...idOf(line.tool_id),
          output: line.output ?? line.error?.message ?? '',
          isError: line.status === 'error',
        },
      ];
    case 'error':
      // The result shows whether the error was fatal.
      return [{ type: 'warning', message: line.message }];
    case 'result':
      return [...usageOf(line.stats), endOf(line, state)];
    default:
      return line satisfies never;
  }
}

function usageOf(stats: GeminiStats | undefined): readonly AgentEvent[] {
  if (stats === undefined || stats.total_tokens === 0) return [];
  const [model] = Object.entries(stats.models).toSorted(
    ([, left], [, right]) => right.total_tokens - left.total_tokens,
  );
  return [{ type: 'usage', usage: toUsage(stats), ...(model !== undefined && { model: model[0] }) }];
}

function toUsage({ total_tokens, input_tokens, output_tokens, cached }: GeminiStats): Usage {
  return {
    inputTokens: Math.max(0, input_tokens - cached),
    // Only the total includes thinking tokens.
    outputTokens: Math.max(output_tokens, total_tokens - input_tokens),
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: cached,
  };
}

function endOf(line: Extract<GeminiLine, { type: 'result' }>, { said }: StreamState): AgentEvent {
  if (line.status !== 'error') return { type: 'end', ...(said !== '' && { text: said }) };
  const message = line.error?.message ?? 'The agent failed without a reason.';
  // The message contains the service's error as JSON.
  const [, status] = /"code":\s*([45]\d{2})\b/u.exec(message) ?? [];
  return { type: 'error', message, ...(status !== undefined && { statusCode: Number(status) }) };
}
