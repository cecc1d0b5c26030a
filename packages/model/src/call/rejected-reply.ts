/**
 * Rejected reply: the text and usage of a reply that the provider's package could not read, in
 * Gemini's format. Pure.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { reportedUsage, type Usage } from '@truecast/core/internal/kit/usage';

/** The parts of a reply, or of one chunk of it. */
export interface RejectedReply {
  readonly text: string;
  readonly usage: Usage | undefined;
}

/**
 * Reads the value that the package's schema rejected. Gemini's service omits a count of 0, which
 * its package requires in the details of the usage.
 */
export function rejectedReply(error: unknown): RejectedReply {
  const value = rejectedValue(error);
  const counts = isRecord(value) ? value['usageMetadata'] : undefined;
  return { text: textIn(value), usage: isRecord(counts) ? usageOf(counts) : undefined };
}

function rejectedValue(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'AI_APICallError') return rejectedValue(error.cause);
  return error.name === 'AI_TypeValidationError' && 'value' in error ? error.value : undefined;
}

function textIn(value: unknown): string {
  const [candidate] = listIn(value, 'candidates');
  const content = isRecord(candidate) ? candidate['content'] : undefined;
  const parts = listIn(content, 'parts').filter(isRecord);
  return parts
    .flatMap(({ text, thought }) => (typeof text === 'string' && thought !== true ? [text] : []))
    .join('');
}

function listIn(value: unknown, key: string): readonly unknown[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function usageOf(counts: Readonly<Record<string, unknown>>): Usage | undefined {
  const count = (key: string): number => {
    const value = counts[key];
    return typeof value === 'number' && value >= 0 ? value : 0;
  };
  const cached = count('cachedContentTokenCount');
  return reportedUsage({
    inputTokens: Math.max(0, count('promptTokenCount') - cached),
    outputTokens: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: cached,
  });
}
