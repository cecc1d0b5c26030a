/** Record of a kept run: its types, and the schemas that read it again. A new field is in both here. */
import { z } from 'zod';
import type { CheckedCommit, Repair } from '@truecast/core/internal/output/definition/provenance';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { Whole } from '@truecast/core/internal/shape/view';
import type { ProcessIdentity } from '../../process/process-identity.ts';
import { processIdentitySchema } from '../../process/process-identity-schema.ts';
import { isKeptRunId } from './kept-run.ts';

/** Range in a transcript, in UTF-16 units. `end` is exclusive. */
export interface TranscriptSpan {
  readonly start: number;
  readonly end: number;
}

export interface KeptAttempt {
  /** `ok`, or the failure's code. */
  readonly code: string;
  readonly message: string;
  /** Position of the text in the transcript. Absent if the answer did not come as text. */
  readonly span?: TranscriptSpan | undefined;
}

/** Facts of a run that are known when its agent starts. Its strings are masked. */
export interface RunFacts {
  readonly version: 1;
  /** Begins with the time of the start, so that ids sort by age. */
  readonly id: string;
  readonly name?: string | undefined;
  /** The `id` of the options. */
  readonly runId?: string | undefined;
  /** True if the agent's text came from a recording. */
  readonly isReplayed?: true | undefined;
  readonly agent: string;
  readonly model?: string | undefined;
  readonly sandbox: string;
  readonly egress?: string | undefined;
  readonly branch?: string | undefined;
  readonly prompt: string;
  readonly startedAt: string;
  /** The required answer. */
  readonly output?:
    | {
        readonly mode?: string | undefined;
        readonly tag?: string | undefined;
        readonly schemaHash?: string | undefined;
      }
    | undefined;
}

/** Record of a run from its start to its end. It stays if the process is killed. */
export interface StartedRun extends RunFacts {
  readonly process: ProcessIdentity;
}

/** Record of a finished run. */
export interface KeptRun extends RunFacts {
  readonly durationMs: number;
  /** `ok` with a valid answer, `done` without a required one, or the code of the failure. */
  readonly code: string;
  readonly error?: string | undefined;
  readonly attempts: readonly KeptAttempt[];
  /** JSON of the valid answer. Absent if it was too large to keep. */
  readonly valueText?: string | undefined;
  readonly repairs?: readonly Repair[] | undefined;
  /** The commit on which the output's check passed. */
  readonly check?: CheckedCommit | undefined;
  readonly commits: readonly string[];
  readonly usage?: Usage | undefined;
  readonly warnings: readonly string[];
  readonly transcript: {
    /** Length of the kept text: the end of the agent's text. */
    readonly chars: number;
    /** Length of the text before it, which was not kept. */
    readonly omittedChars: number;
  };
}

const count = z.number().int().nonnegative();
const span = z
  .object({ start: count, end: count })
  .refine(({ start, end }) => start <= end, { error: 'Expected `start` to be at most `end`' });
const usage = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  cacheCreationInputTokens: z.number().nonnegative(),
  cacheReadInputTokens: z.number().nonnegative(),
  costUsd: z.number().nonnegative().exactOptional(),
});

const facts = {
  version: z.literal(1),
  id: z.string().refine(isKeptRunId),
  name: z.string().optional(),
  runId: z.string().optional(),
  isReplayed: z.literal(true).optional(),
  agent: z.string(),
  model: z.string().optional(),
  sandbox: z.string(),
  egress: z.string().optional(),
  branch: z.string().optional(),
  prompt: z.string(),
  startedAt: z.iso.datetime(),
  output: z
    .object({
      mode: z.string().optional(),
      tag: z.string().optional(),
      schemaHash: z.string().optional(),
    })
    .optional(),
} satisfies Record<keyof RunFacts, z.ZodType>;

const ended = {
  durationMs: z.number().nonnegative(),
  code: z.string(),
  error: z.string().optional(),
  attempts: z.array(z.object({ code: z.string(), message: z.string(), span: span.optional() })),
  valueText: z
    .string()
    .refine((text) => parseJson(text).success)
    .optional(),
  repairs: z
    .array(z.object({ kind: z.string(), path: z.array(z.union([z.string(), z.number()])) }))
    .optional(),
  check: z
    .object({
      verdict: z.enum(['passed', 'failed']),
      commit: z.string(),
      tree: z.string(),
      durationMs: count,
    })
    .optional(),
  commits: z.array(z.string()),
  usage: usage.optional(),
  warnings: z.array(z.string()),
  transcript: z.object({ chars: count, omittedChars: count }),
} satisfies Record<Exclude<keyof KeptRun, keyof RunFacts>, z.ZodType>;

const factsSchema = z.object(facts).omit({ version: true });

/** Returns the facts of a record, without the rest of it. An absent one is undefined. */
export function factsIn(run: RunFacts): Whole<Omit<RunFacts, 'version'>> {
  return factsSchema.parse(run) as Whole<Omit<RunFacts, 'version'>>;
}

export const startedRunSchema: z.ZodType<StartedRun> = z.object({ ...facts, process: processIdentitySchema });
export const keptRunSchema: z.ZodType<KeptRun> = z.object({ ...facts, ...ended });
