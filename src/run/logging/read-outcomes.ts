/** Owns reading the record of outcomes back: line by line, in bounded memory, past lines that were not written whole. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Usage } from '../../errors/usage.ts';

/** One line of the record, as far as a reader needs it. */
export interface RecordedOutcome {
  readonly time: Date;
  readonly code: string;
  readonly route?: string | undefined;
  readonly attempts: number;
  readonly attemptCodes?: readonly string[] | undefined;
  readonly durationMs?: number | undefined;
  readonly tag?: string | undefined;
  readonly schemaHash?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

const TOKENS = z.number().nonnegative();

const LINE: z.ZodType<RecordedOutcome> = z.object({
  time: z.iso.datetime().transform((text) => new Date(text)),
  code: z.string(),
  route: z.string().optional(),
  attempts: z.number().int().nonnegative(),
  attemptCodes: z.array(z.string()).optional(),
  durationMs: z.number().nonnegative().optional(),
  tag: z.string().optional(),
  schemaHash: z.string().optional(),
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

/**
 * Reads a record. A missing file is an empty one.
 *
 * @yields each line's outcome; undefined for one that cannot be read, such as a last line that a crash cut off
 */
export async function* readOutcomes(path: string): AsyncGenerator<RecordedOutcome | undefined> {
  const input = createReadStream(path, 'utf8');
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() !== '') yield parseLine(line);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

function parseLine(line: string): RecordedOutcome | undefined {
  try {
    return LINE.safeParse(JSON.parse(line)).data;
  } catch {
    // Not JSON: the caller counts it.
    return undefined;
  }
}
