/** Default number of corrections of an invalid answer. Pure. */
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import type { OutputFlags } from './load-output.ts';

/** Number of retries if no flag sets it. */
export const DEFAULT_RETRIES = 2;

/**
 * Adds the default number of retries. An agent that cannot resume its session is retried only on
 * request, because a fresh session repeats its work.
 */
export function withRetries<TFlags extends OutputFlags>(
  flags: TFlags,
  { sessionStorage }: AgentProvider,
): TFlags {
  if (flags.schema === undefined && flags.tag === undefined) return flags;
  if (sessionStorage !== undefined) return { maxCorrections: DEFAULT_RETRIES, ...flags };
  const isFresh = flags.retry === undefined && (flags.maxCorrections ?? 0) > 0;
  if (flags.retry === 'fresh') return { maxCorrections: DEFAULT_RETRIES, ...flags };
  return isFresh ? { ...flags, retry: 'fresh' } : flags;
}
