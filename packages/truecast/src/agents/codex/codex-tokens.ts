/**
 * Type of Codex's token counts. Separate from its schema, to keep the schema library out of
 * published types. Pure.
 */

/** Token counts as Codex reports them. `input_tokens` includes cached tokens. */
export interface CodexTokens {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens: number;
  readonly output_tokens: number;
}
