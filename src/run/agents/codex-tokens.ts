/** Owns how Codex tells its tokens, as it stands in its stream and in its session files. Pure. */
import { z } from 'zod';

/** Tokens as Codex tells them; `input_tokens` counts the cached ones too. */
export interface CodexTokens {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens: number;
  readonly output_tokens: number;
}

const count = z.number().catch(0);

/** The shape of `CodexTokens`. Its type is imported in place: an import statement would stand in the published declarations. */
export const codexTokens: import('zod').ZodType<CodexTokens> = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
});
