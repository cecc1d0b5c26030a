/** Schemas of Claude Code's stream-json lines. Unknown fields are ignored. */
import { z } from 'zod';

/** Token counts as reported by the Messages API. */
export interface ClaudeCodeTokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export type ClaudeCodeBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | {
      readonly type: 'tool_use' | 'server_tool_use' | 'mcp_tool_use';
      readonly id?: string | undefined;
      readonly name: string;
      readonly input?: unknown;
    }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id?: string | undefined;
      readonly content?: unknown;
      readonly is_error?: boolean | null | undefined;
    }
  | { readonly type: 'other' };

interface AgentLine {
  /** Id of the tool call that started the sub-agent, or null for the main agent. */
  readonly parent_tool_use_id?: string | null | undefined;
}

/** A message of an agent, or a part of it. */
export interface AssistantLine extends AgentLine {
  readonly type: 'assistant';
  readonly is_api_error_message?: boolean | null | undefined;
  readonly message: {
    readonly id?: string | undefined;
    readonly model?: string | undefined;
    readonly content: readonly ClaudeCodeBlock[];
    readonly usage?: ClaudeCodeTokens | undefined;
  };
}

/** Tool results sent back to an agent. */
export interface UserLine extends AgentLine {
  readonly type: 'user';
  readonly message: { readonly content: readonly ClaudeCodeBlock[] };
}

/** A raw event of the model's stream. */
export interface StreamLine extends AgentLine {
  readonly type: 'stream_event';
  readonly event: {
    readonly type: string;
    readonly delta?:
      | {
          readonly type?: string | undefined;
          readonly text?: string | undefined;
          readonly thinking?: string | undefined;
        }
      | undefined;
  };
}

/** A system event of the CLI. */
export interface SystemLine {
  readonly type: 'system';
  readonly subtype: string;
  readonly session_id?: string | undefined;
  readonly attempt?: number | undefined;
  readonly max_retries?: number | undefined;
  readonly error_status?: number | null | undefined;
  readonly error?: string | null | undefined;
  readonly tool_name?: string | undefined;
  readonly message?: string | undefined;
}

export interface ResultLine {
  readonly type: 'result';
  readonly subtype: string;
  readonly is_error: boolean;
  readonly api_error_status?: number | null | undefined;
  readonly result?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly structured_output?: unknown;
  readonly usage?: ClaudeCodeTokens | undefined;
  readonly total_cost_usd?: number | undefined;
  readonly model_usage_since_last_result?: Readonly<Record<string, ClaudeCodeModelUsage>> | undefined;
}

export interface ClaudeCodeModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly costUSD?: number | undefined;
}

/** State of a limit of the user's plan. */
export interface RateLimitLine {
  readonly type: 'rate_limit_event';
  readonly rate_limit_info: {
    readonly status?: string | undefined;
    /** Seconds since 1970. */
    readonly resetsAt?: number | null | undefined;
  };
}

/** Any line that is relevant to the run. */
export type ClaudeCodeLine = AssistantLine | UserLine | StreamLine | SystemLine | ResultLine | RateLimitLine;

const count = z.number().catch(0);
const text = z.string().optional().catch(undefined);
const number = z.number().nullish().catch(undefined);

const tokens = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
});

const modelUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheCreationInputTokens: count,
  cacheReadInputTokens: count,
  costUSD: z.number().optional().catch(undefined),
});

const block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({
    type: z.enum(['tool_use', 'server_tool_use', 'mcp_tool_use']),
    id: text,
    name: z.string(),
    input: z.unknown().optional(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: text,
    content: z.unknown().optional(),
    is_error: z.boolean().nullish().catch(undefined),
  }),
  z.unknown().transform((): ClaudeCodeBlock => ({ type: 'other' })),
]);

const agentLine = { parent_tool_use_id: z.string().nullish() };

const claudeCodeLine: z.ZodType<ClaudeCodeLine> = z.discriminatedUnion('type', [
  z.object({
    ...agentLine,
    type: z.literal('assistant'),
    is_api_error_message: z.boolean().nullish().catch(undefined),
    message: z.object({
      id: text,
      model: text,
      content: z.array(block),
      usage: tokens.optional().catch(undefined),
    }),
  }),
  z.object({ ...agentLine, type: z.literal('user'), message: z.object({ content: z.array(block) }) }),
  z.object({
    ...agentLine,
    type: z.literal('stream_event'),
    event: z.object({
      type: z.string(),
      delta: z.object({ type: text, text, thinking: text }).optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    session_id: text,
    attempt: z.number().optional().catch(undefined),
    max_retries: z.number().optional().catch(undefined),
    error_status: number,
    error: z.string().nullish().catch(undefined),
    tool_name: text,
    message: text,
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean().catch(false),
    api_error_status: number,
    result: text,
    errors: z.array(z.string()).optional().catch(undefined),
    structured_output: z.unknown().optional(),
    usage: tokens.optional().catch(undefined),
    total_cost_usd: z.number().optional().catch(undefined),
    model_usage_since_last_result: z.record(z.string(), modelUsage).optional().catch(undefined),
  }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({ status: text, resetsAt: number }),
  }),
]);

/** Parses a line's value. Returns undefined if the line is not relevant. */
export function readClaudeCodeLine(value: unknown): ClaudeCodeLine | undefined {
  return claudeCodeLine.safeParse(value).data;
}
