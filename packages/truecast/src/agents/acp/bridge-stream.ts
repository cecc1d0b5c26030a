/**
 * Stream parser for the bridge's lines. Pure.
 *
 * session · text · thinking · tool-call · tool-result · usage, cost → usage · end → end, or error
 * by its reason · error → error
 */
import { z } from 'zod';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { createJsonLineParser, toolResultText } from '../stream/json-line-parser.ts';

const count = z.number().nonnegative().nullish().catch(undefined);

const LINE = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session'),
    sessionId: z.string(),
    closedMode: z.object({ id: z.string(), openId: z.string() }).optional(),
  }),
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), text: z.string() }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.literal('tool-result'), id: z.string(), output: z.unknown(), isError: z.boolean() }),
  z.object({
    type: z.literal('usage'),
    usage: z.object({
      inputTokens: count,
      outputTokens: count,
      thoughtTokens: count,
      cachedReadTokens: count,
      cachedWriteTokens: count,
    }),
  }),
  z.object({ type: z.literal('cost'), amountUsd: z.number().nonnegative() }),
  z.object({ type: z.literal('warning'), message: z.string() }),
  z.object({ type: z.literal('end'), stopReason: z.string() }),
  z.object({ type: z.literal('error'), message: z.string(), statusCode: z.number().int().optional() }),
]);

type Line = z.infer<typeof LINE>;

/** Stop reasons of an agent that did not end its turn normally. */
const STOPS: Readonly<Record<string, string>> = {
  max_tokens: 'It reached its token limit for one answer.',
  max_turn_requests: 'It reached its limit of model requests.',
  refusal: 'It refused to continue.',
  cancelled: 'Its turn was cancelled.',
};

export function createBridgeStreamParser(): AgentStreamParser {
  let tokens: Usage | undefined;
  let costUsd: number | undefined;
  return createJsonLineParser({
    mayMatter: (line) => line.includes('"type"'),
    readValue(value) {
      const parsed = LINE.safeParse(value);
      if (!parsed.success) return [];
      const line = parsed.data;
      if (line.type === 'usage') tokens = toUsage(line.usage);
      if (line.type === 'cost') costUsd = line.amountUsd;
      return line.type === 'usage' || line.type === 'cost' ? usageEvent(tokens, costUsd) : toEvents(line);
    },
  });
}

function toEvents(line: Exclude<Line, { type: 'usage' | 'cost' }>): readonly AgentEvent[] {
  switch (line.type) {
    case 'tool-result':
      return [{ ...line, output: toolResultText(line.output) }];
    case 'end': {
      const stop = STOPS[line.stopReason];
      return [stop === undefined ? { type: 'end' } : { type: 'error', message: stop }];
    }
    case 'error': {
      const { message, statusCode } = line;
      return [{ type: 'error', message, ...(statusCode !== undefined && { statusCode }) }];
    }
    case 'session': {
      const { sessionId, closedMode } = line;
      return [{ type: 'session', sessionId, ...(closedMode !== undefined && { closedMode }) }];
    }
    case 'text':
    case 'thinking':
    case 'tool-call':
    case 'warning':
      return [line];
    default:
      return line satisfies never;
  }
}

function toUsage(usage: Extract<Line, { type: 'usage' }>['usage']): Usage {
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: (usage.outputTokens ?? 0) + (usage.thoughtTokens ?? 0),
    cacheCreationInputTokens: usage.cachedWriteTokens ?? 0,
    cacheReadInputTokens: usage.cachedReadTokens ?? 0,
  };
}

/** The cost waits for the tokens. Without them, the usage is unknown. */
function usageEvent(tokens: Usage | undefined, costUsd: number | undefined): readonly AgentEvent[] {
  if (tokens === undefined) return [];
  return [{ type: 'usage', usage: { ...tokens, ...(costUsd !== undefined && { costUsd }) } }];
}
