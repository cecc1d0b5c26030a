/** Zod schemas of kept runs. Pure. */
import { z } from 'zod';
import type { KeptRunView, RunAttempt, RunDetailView, RunPageView } from '@truecast/client/internal/wire/run';
import { receiptUsageSchema } from '../receipt.ts';
import type { WireSchema } from '../wire-schema.ts';

export type { KeptRunView, RunAttempt, RunDetailView } from '@truecast/client/internal/wire/run';

const text = z.string().exactOptional();
const count = z.int().min(0);
const attempt: WireSchema<RunAttempt> = z
  .strictObject({
    code: z.string(),
    message: z.string(),
    span: z.strictObject({ start: count, end: count }).exactOptional(),
  })
  .meta({ ref: 'RunAttempt' });

const fields = {
  id: z.string(),
  name: text,
  status: z.enum(['valid', 'failed', 'done']),
  is_replayed: z.boolean().exactOptional(),
  code: z.string(),
  error: text,
  agent: z.string(),
  model: text,
  sandbox: z.string(),
  egress: text,
  branch: text,
  route: text,
  tag: text,
  schema_hash: text,
  attempts: z.array(attempt),
  commits: z.array(z.string()),
  usage: receiptUsageSchema.exactOptional(),
  started_at: z.string().meta({ format: 'date-time' }),
  duration_ms: z.number(),
  prompt_preview: z.string(),
  value_preview: text,
};

/** Schema of a run in a list. */
export const runViewSchema: WireSchema<KeptRunView> = z.strictObject(fields).meta({ ref: 'Run' });

/** Schema of a page of runs. */
export const runPageViewSchema: WireSchema<RunPageView> = z
  .strictObject({ runs: z.array(runViewSchema), next: text })
  .meta({ ref: 'RunPage' });

/** Schema of a run with its transcript. */
export const runDetailViewSchema: WireSchema<RunDetailView> = z
  .strictObject({
    ...fields,
    prompt: z.string(),
    value_text: text,
    repairs: z
      .array(z.strictObject({ kind: z.string(), path: z.array(z.union([z.string(), z.number()])) }))
      .exactOptional(),
    warnings: z.array(z.string()),
    transcript: z.strictObject({ text: z.string(), omitted_chars: count }),
  })
  .meta({ ref: 'RunDetail' });
