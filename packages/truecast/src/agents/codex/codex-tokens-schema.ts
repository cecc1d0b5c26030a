/** Schema of Codex's token counts in its stream and its session files. Pure. */
import { z } from 'zod';
import type { CodexTokens } from './codex-tokens.ts';

const count = z.number().catch(0);

export const codexTokens: z.ZodType<CodexTokens> = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
});
