/** Schemas of Copilot's JSON lines. Pure. */
import { z } from 'zod';

/** Token counts of a model. `inputTokens` includes cached tokens. */
export interface CopilotTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** A relevant line. `agentId` is the sub-agent's id. */
export type CopilotLine = { readonly agentId?: string | undefined } & (
  | {
      readonly type: 'assistant.message_delta';
      readonly data: { readonly messageId: string; readonly deltaContent: string };
    }
  | {
      readonly type: 'assistant.reasoning_delta';
      readonly data: { readonly reasoningId: string; readonly deltaContent: string };
    }
  | {
      readonly type: 'assistant.message';
      readonly data: { readonly messageId: string; readonly content: string };
    }
  | {
      readonly type: 'assistant.reasoning';
      readonly data: { readonly reasoningId: string; readonly content: string };
    }
  | {
      readonly type: 'tool.execution_start';
      readonly data: {
        readonly toolCallId?: string | undefined;
        readonly toolName: string;
        readonly arguments?: unknown;
      };
    }
  | {
      readonly type: 'tool.execution_complete';
      readonly data: {
        readonly toolCallId?: string | undefined;
        readonly success: boolean;
        readonly shellExecution?: { readonly exitCode: number } | undefined;
        readonly result?: { readonly content?: unknown } | undefined;
        readonly error?: { readonly message: string } | undefined;
      };
    }
  | { readonly type: 'assistant.turn_retry'; readonly data: { readonly reason: string } }
  | { readonly type: 'session.start'; readonly data: { readonly sessionId: string } }
  | { readonly type: 'session.warning'; readonly data: { readonly message: string } }
  | {
      readonly type: 'session.error';
      readonly data: { readonly message: string; readonly statusCode?: number | undefined };
    }
  | { readonly type: 'session.usage_record'; readonly data: { readonly usage: CopilotTokens } }
  | { readonly type: 'result'; readonly sessionId: string; readonly exitCode: number }
);

/** Contents of `--usage-output-file`: session totals by model. */
export interface CopilotTotals {
  readonly modelMetrics: Readonly<Record<string, { readonly usage: CopilotTokens }>>;
  readonly currentModel?: string | undefined;
}

const count = z.number().nonnegative().catch(0);
const optionalText = z.string().optional().catch(undefined);

const tokens: z.ZodType<CopilotTokens> = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
});

function line<TType extends string, TData extends z.ZodType>(
  type: TType,
  data: TData,
): z.ZodObject<{
  type: z.ZodLiteral<TType>;
  agentId: typeof optionalText;
  data: TData;
}> {
  return z.object({ type: z.literal(type), agentId: optionalText, data });
}

const copilotLine: z.ZodType<CopilotLine> = z.discriminatedUnion('type', [
  line('assistant.message_delta', z.object({ messageId: z.string(), deltaContent: z.string() })),
  line('assistant.reasoning_delta', z.object({ reasoningId: z.string(), deltaContent: z.string() })),
  line('assistant.message', z.object({ messageId: z.string(), content: z.string() })),
  line('assistant.reasoning', z.object({ reasoningId: z.string(), content: z.string() })),
  line(
    'tool.execution_start',
    z.object({ toolCallId: optionalText, toolName: z.string(), arguments: z.unknown().optional() }),
  ),
  line(
    'tool.execution_complete',
    z.object({
      toolCallId: optionalText,
      success: z.boolean().catch(true),
      shellExecution: z.object({ exitCode: z.number() }).optional().catch(undefined),
      result: z.object({ content: z.unknown().optional() }).optional().catch(undefined),
      error: z.object({ message: z.string() }).optional().catch(undefined),
    }),
  ),
  line('assistant.turn_retry', z.object({ reason: z.string().catch('') })),
  line('session.start', z.object({ sessionId: z.string() })),
  line('session.warning', z.object({ message: z.string() })),
  line(
    'session.error',
    z.object({ message: z.string().catch(''), statusCode: z.number().optional().catch(undefined) }),
  ),
  line('session.usage_record', z.object({ usage: tokens })),
  z.object({
    type: z.literal('result'),
    agentId: optionalText,
    sessionId: z.string(),
    exitCode: z.number().catch(0),
  }),
]);

const copilotTotals: z.ZodType<CopilotTotals> = z.object({
  modelMetrics: z.record(z.string(), z.object({ usage: tokens })),
  currentModel: optionalText,
});

/** Parses a line's value. Returns undefined if the line is not relevant. */
export function readCopilotLine(value: unknown): CopilotLine | undefined {
  return copilotLine.safeParse(value).data;
}

/** Parses the usage file. Returns undefined for any other line. */
export function readCopilotTotals(value: unknown): CopilotTotals | undefined {
  return copilotTotals.safeParse(value).data;
}
