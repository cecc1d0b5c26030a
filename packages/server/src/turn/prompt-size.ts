/** Estimates from its size whether a prompt can be too long for its model. Pure. */

/** Estimated bytes per token. English prose and JSON have about four. */
const BYTES_PER_TOKEN = 4;
/** Denser text has up to twice as many tokens as estimated. */
const SUSPECT_SHARE = 0.5;
/** Assumed context of a model that reports none: the smallest common size. */
const UNKNOWN_CONTEXT_TOKENS = 8_192;

/**
 * Returns true if the prompt is large enough to explain a rejection. Anthropic, Google and most
 * local servers have no code for a prompt that is too long.
 */
export function isSuspectSize(prompt: unknown, contextTokens: number | undefined): boolean {
  const tokens = JSON.stringify(prompt).length / BYTES_PER_TOKEN;
  return tokens >= (contextTokens ?? UNKNOWN_CONTEXT_TOKENS) * SUSPECT_SHARE;
}
