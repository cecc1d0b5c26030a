/** Owns what Codex says of its tokens. Without its schema, whose library must not stand in published types. Pure. */

/** Tokens as Codex tells them; `input_tokens` counts the cached ones too. */
export interface CodexTokens {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens: number;
  readonly output_tokens: number;
}
