/**
 * Stream parser for OpenCode's `run --format json` lines.
 *
 * any line → session · text, reasoning → text, thinking · tool_use → a tool's call and result, once
 * it is completed · step_finish → usage, and end unless tools were called · error → error
 */
import { z } from 'zod';
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { createJsonLineParser, toolResultText } from '../stream/json-line-parser.ts';

const count = z.number().nonnegative().catch(0);
const optionalText = z.string().optional().catch(undefined);
const sessionID = optionalText;

const opencodeLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('step_start'), sessionID }),
  z.object({ type: z.enum(['text', 'reasoning']), sessionID, part: z.object({ text: z.string() }) }),
  z.object({
    type: z.literal('tool_use'),
    sessionID,
    part: z.object({
      tool: z.string(),
      callID: optionalText,
      state: z.object({
        status: z.string().catch(''),
        input: z.unknown().optional(),
        output: z.unknown().optional(),
        error: optionalText,
      }),
    }),
  }),
  z.object({
    type: z.literal('step_finish'),
    sessionID,
    part: z.object({
      reason: z.string().catch(''),
      cost: count,
      tokens: z
        .object({
          input: count,
          output: count,
          reasoning: count,
          cache: z.object({ read: count, write: count }).catch({ read: 0, write: 0 }),
        })
        .optional()
        .catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('error'),
    sessionID,
    error: z
      .object({
        name: optionalText,
        data: z
          .object({
            message: optionalText,
            statusCode: z.number().int().optional().catch(undefined),
            responseHeaders: z.object({ 'retry-after': optionalText }).optional().catch(undefined),
          })
          .optional()
          .catch(undefined),
      })
      .catch({ name: undefined, data: undefined }),
  }),
]);

type OpencodeLine = z.infer<typeof opencodeLine>;
type LineOf<TType extends OpencodeLine['type']> = Extract<OpencodeLine, { readonly type: TType }>;

const TYPES = ['"step_start"', '"text"', '"reasoning"', '"tool_use"', '"step_finish"', '"error"'];

/** Finish reasons after which another step follows. */
const GOES_ON: ReadonlySet<string> = new Set(['tool-calls', 'error', '']);

interface StreamState {
  sessionId: string | undefined;
  usage: Usage | undefined;
  /** Text of the current step. The last step's text is the final text. */
  stepText: string;
}

export function createOpencodeStreamParser(): AgentStreamParser {
  const state: StreamState = { sessionId: undefined, usage: undefined, stepText: '' };
  return createJsonLineParser({
    mayMatter: (line) => TYPES.some((type) => line.includes(type)),
    readValue(value) {
      const line = opencodeLine.safeParse(value).data;
      return line === undefined ? [] : [...readSession(line, state), ...readLine(line, state)];
    },
  });
}

function readSession({ sessionID: id }: OpencodeLine, state: StreamState): readonly AgentEvent[] {
  if (id === undefined || state.sessionId !== undefined) return [];
  state.sessionId = id;
  return [{ type: 'session', sessionId: id }];
}

function readLine(line: OpencodeLine, state: StreamState): readonly AgentEvent[] {
  switch (line.type) {
    case 'step_start':
      state.stepText = '';
      return [];
    case 'text':
      state.stepText += line.part.text;
      return line.part.text === '' ? [] : [{ type: 'text', text: line.part.text }];
    case 'reasoning':
      return line.part.text === '' ? [] : [{ type: 'thinking', text: line.part.text }];
    case 'tool_use':
      return readTool(line);
    case 'step_finish':
      return endStep(line, state);
    case 'error':
      return [readError(line)];
    default:
      return line satisfies never;
  }
}

function readTool({ part }: LineOf<'tool_use'>): readonly AgentEvent[] {
  const { tool, callID, state } = part;
  const id = callID === undefined ? {} : { id: callID };
  const isError = state.status === 'error';
  const output = isError ? (state.error ?? '') : toolResultText(state.output);
  return [
    { type: 'tool-call', ...id, name: tool, input: state.input },
    { type: 'tool-result', ...id, output, isError },
  ];
}

function endStep({ part }: LineOf<'step_finish'>, state: StreamState): readonly AgentEvent[] {
  const { reason, tokens, cost } = part;
  const events: AgentEvent[] = [];
  if (tokens !== undefined) {
    const usage: Usage = {
      inputTokens: tokens.input,
      outputTokens: tokens.output + tokens.reasoning,
      cacheCreationInputTokens: tokens.cache.write,
      cacheReadInputTokens: tokens.cache.read,
      // The CLI reports a cost of 0 for a model with unknown prices. That is not a price.
      ...(cost > 0 && { costUsd: cost }),
    };
    const sum = sumUsage([state.usage, usage]) ?? usage;
    state.usage = sum;
    events.push({ type: 'usage', usage: sum });
  }
  if (GOES_ON.has(reason)) return events;
  return [...events, { type: 'end', ...(state.stepText !== '' && { text: state.stepText }) }];
}

function readError({ error }: LineOf<'error'>): AgentEvent {
  const statusCode = error.data?.statusCode;
  const retryAfter = error.data?.responseHeaders?.['retry-after'];
  const message = error.data?.message ?? error.name ?? 'The agent failed without a reason.';
  return {
    type: 'error',
    message: retryAfter === undefined ? message : `${message} (retry-after: ${retryAfter})`,
    ...(statusCode !== undefined && { statusCode }),
  };
}
