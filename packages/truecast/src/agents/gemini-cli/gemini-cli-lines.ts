/** Schemas of Gemini CLI's `stream-json` lines. Pure. */
import { z } from 'zod';

/** Token counts of one process. */
export interface GeminiStats {
  readonly total_tokens: number;
  /** All prompt tokens, including cached ones. */
  readonly input_tokens: number;
  /** Excludes thinking tokens. */
  readonly output_tokens: number;
  readonly cached: number;
  readonly models: Readonly<Record<string, { readonly total_tokens: number }>>;
}

export type GeminiLine =
  | { readonly type: 'init'; readonly session_id: string }
  | { readonly type: 'message'; readonly role: string; readonly content: string }
  | {
      readonly type: 'tool_use';
      readonly tool_name: string;
      readonly tool_id?: string | undefined;
      readonly parameters?: unknown;
    }
  | {
      readonly type: 'tool_result';
      readonly tool_id?: string | undefined;
      readonly status?: string | undefined;
      readonly output?: string | undefined;
      readonly error?: { readonly message: string } | undefined;
    }
  | { readonly type: 'error'; readonly message: string }
  | {
      readonly type: 'result';
      readonly status: string;
      readonly error?: { readonly message: string } | undefined;
      readonly stats?: GeminiStats | undefined;
    };

const count = z.number().nonnegative().catch(0);
const optionalText = z.string().optional().catch(undefined);
const error = z.object({ message: z.string() }).optional().catch(undefined);

const stats: z.ZodType<GeminiStats> = z.object({
  total_tokens: count,
  input_tokens: count,
  output_tokens: count,
  cached: count,
  models: z.record(z.string(), z.object({ total_tokens: count })).catch({}),
});

const geminiLine: z.ZodType<GeminiLine> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('init'), session_id: z.string() }),
  z.object({ type: z.literal('message'), role: z.string(), content: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    tool_name: z.string(),
    tool_id: optionalText,
    parameters: z.unknown().optional(),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_id: optionalText,
    status: optionalText,
    output: optionalText,
    error,
  }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({
    type: z.literal('result'),
    status: z.string(),
    error,
    stats: stats.optional().catch(undefined),
  }),
]);

/** Parses a line's value. Returns undefined if the line is not relevant. */
export function readGeminiLine(value: unknown): GeminiLine | undefined {
  return geminiLine.safeParse(value).data;
}
