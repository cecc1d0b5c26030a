/** Reader of the outcome log: line by line, with bounded memory, skipping incomplete lines. */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import type { OutcomeRecord } from '@truecast/core/internal/output/definition/outcome-line';
import { hasCode } from '../../support/storage-error.ts';

/** The fields of one line that readers need. */
export type RecordedOutcome = Omit<OutcomeRecord, 'issuePaths' | 'rawChars'>;

const TOKENS = z.number().nonnegative();

const LINE: z.ZodType<RecordedOutcome> = z.object({
  time: z.iso.datetime().transform((text) => new Date(text)),
  code: z.string(),
  outcome: z.enum(['answered', 'question', 'declined']).optional(),
  mode: z.string().optional(),
  attempts: z.number().int().nonnegative(),
  attemptCodes: z.array(z.string()).optional(),
  durationMs: z.number().nonnegative().optional(),
  tag: z.string().optional(),
  unenforced: z.number().int().nonnegative().optional(),
  schemaHash: z.string().optional(),
  check: z
    .object({
      verdict: z.enum(['passed', 'failed']),
      commit: z.string(),
      tree: z.string(),
      durationMs: z.number().nonnegative(),
    })
    .optional(),
  usage: z
    .object({
      inputTokens: TOKENS,
      outputTokens: TOKENS,
      cacheCreationInputTokens: TOKENS,
      cacheReadInputTokens: TOKENS,
      costUsd: z.number().nonnegative().exactOptional(),
    })
    .optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
});

/** Returns true if the run had a valid answer, even if it failed later. */
export function isValidOutcome({ code, attemptCodes }: RecordedOutcome): boolean {
  return attemptCodes === undefined ? code === 'ok' : attemptCodes.at(-1) === 'ok';
}

/**
 * Reads an outcome log, or the last `maxBytes` of it. A missing file counts as empty.
 *
 * @yields each line's outcome; undefined for an unreadable line, such as a last line truncated by a
 *   crash
 * @returns true if the whole log was read
 */
export async function* readOutcomes(
  path: string,
  { maxBytes = Number.POSITIVE_INFINITY }: { readonly maxBytes?: number } = {},
): AsyncGenerator<RecordedOutcome | undefined, boolean> {
  try {
    await using file = await openChosenFile(path, 'read');
    const start = Math.max(0, (await file.stat()).size - maxBytes);
    const input = file.createReadStream({ encoding: 'utf8', autoClose: false, ...(start > 0 && { start }) });
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() !== '') yield LINE.safeParse(jsonValueOf(line)).data;
    }
    return start === 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
}
