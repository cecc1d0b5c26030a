/** Trials of a comparison: their plan, their keys, and the lines of the results file. */
import { z } from 'zod';
import { randomNumbers, shuffled } from '@truecast/core/internal/statistics/median-interval';
import type { BatchItem, BatchResult } from 'truecast/internal/run/batch/batch-queue';
import { hash } from 'truecast/internal/run/batch/read-batch-inputs';
import { USAGE } from 'truecast/internal/run/batch/results-file';
import type { Contestant } from './contestant.ts';

/** One contestant on one item, for the n-th time. */
export interface Trial {
  readonly key: string;
  readonly contestant: Contestant;
  readonly item: BatchItem;
  readonly repeat: number;
}

/** A line of the results file: the result of a batch item, and its trial. */
export type TrialResult = BatchResult & {
  readonly contestant: string;
  readonly repeat: number;
  /** Absent if the right answer is unknown. */
  readonly right?: boolean;
  /** Identity of the judge that decided `right`. */
  readonly judge: string;
};

/** The checked fields of a line. This program wrote the other fields. */
const LINE = z.looseObject({
  key: z.string(),
  contestant: z.string(),
  repeat: z.number(),
  judge: z.string(),
  status: z.enum(['ok', 'failed']),
  line: z.number(),
  durationMs: z.number(),
  usage: USAGE.optional(),
  right: z.boolean().optional(),
  provenance: z.looseObject({ attempts: z.array(z.looseObject({ code: z.string() })) }).optional(),
  error: z
    .looseObject({
      name: z.string(),
      code: z.string().optional(),
      message: z.string(),
      attempts: z.array(z.string()).optional(),
    })
    .optional(),
});

/** Returns the line as a result of a comparison, or undefined if it has another form. */
export function checkTrial(value: unknown): TrialResult | undefined {
  // The fields that are read later are checked.
  return LINE.safeParse(value).success ? (value as TrialResult) : undefined;
}

const KEY_CHARS = 32;

/**
 * Returns the trials in blocks: each block has all contestants on one item, in a random order. A
 * slow period of a service then affects all of them.
 */
export function planTrials(
  items: readonly BatchItem[],
  contestants: readonly Contestant[],
  { repeat: repeats, seed }: { readonly repeat: number; readonly seed: number },
): Trial[] {
  const random = randomNumbers(seed);
  const rounds = Array.from({ length: repeats }, (_, index) => index + 1);
  return rounds.flatMap((repeat) =>
    shuffled(items, random).flatMap((item) =>
      shuffled(contestants, random).map((contestant) => ({
        key: hash(`${item.key}\n${contestant.identity}\n${repeat}`).slice(0, KEY_CHARS),
        contestant,
        item,
        repeat,
      })),
    ),
  );
}

/** Results of a contestant, by the key of their item and by repeat. */
export type ItemResults = ReadonlyMap<string, ReadonlyMap<number, TrialResult>>;

export function resultsByItem(
  name: string,
  trials: readonly Trial[],
  results: ReadonlyMap<string, TrialResult>,
): ItemResults {
  const own = new Map<string, Map<number, TrialResult>>();
  for (const { key, item, contestant, repeat } of trials) {
    const result = results.get(key);
    if (contestant.name !== name || result === undefined) continue;
    own.set(item.key, (own.get(item.key) ?? new Map<number, TrialResult>()).set(repeat, result));
  }
  return own;
}

/** Codes of all attempts at an answer, in order. Empty if no answer was read. */
export function attemptCodes(result: TrialResult): readonly string[] {
  if (result.status === 'failed') return result.error.attempts ?? [];
  return result.provenance?.attempts.map(({ code }) => code) ?? ['ok'];
}
