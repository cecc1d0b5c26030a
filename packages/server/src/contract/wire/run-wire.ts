/** Zod schemas of runs of coding agents. Pure. */
import { z } from 'zod';
import type {
  KeptRunView,
  RunAttempt,
  RunDetailView,
  RunEventPageView,
  RunEventView,
  RunPageView,
  RunStatus,
  RunStreamEvent,
  RunTranscriptView,
} from '@truecast/client/internal/wire/run';
import { receiptUsageSchema } from '../receipt.ts';
import type { WireSchema } from '../wire-schema.ts';

export type {
  KeptRunView,
  RunAttempt,
  RunDetailView,
  RunEventPageView,
  RunEventView,
  RunStatus,
  RunStreamEvent,
} from '@truecast/client/internal/wire/run';

const text = z.string().exactOptional();
const count = z.int().min(0);

/** Schema of a status. */
export const runStatusSchema: WireSchema<RunStatus> = z.enum([
  'live',
  'interrupted',
  'valid',
  'failed',
  'done',
]);

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
  status: runStatusSchema,
  is_replayed: z.boolean().exactOptional(),
  code: z.string(),
  error: text,
  agent: z.string(),
  model: text,
  sandbox: z.string(),
  egress: text,
  branch: text,
  mode: text,
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
    check: z
      .strictObject({
        verdict: z.enum(['passed', 'failed']),
        commit: z.string(),
        tree: z.string(),
        duration_ms: count,
      })
      .exactOptional(),
    warnings: z.array(z.string()),
    transcript: z.strictObject({ text: z.string(), omitted_chars: count }),
  })
  .meta({ ref: 'RunDetail' });

const eventSchema: WireSchema<RunEventView> = z
  .strictObject({
    type: z.enum([
      'start',
      'sandbox',
      'iteration',
      'session',
      'text',
      'tool_call',
      'tool_result',
      'attempt',
      'warning',
      'error',
      'commit',
      'cut',
      'end',
    ]),
    id: z.string(),
    at: z.string().meta({ format: 'date-time' }),
    iteration: count,
    text,
    name: text,
    is_error: z.boolean().exactOptional(),
  })
  .meta({ ref: 'RunEvent' });

/** Schema of a page of events. */
export const runEventPageViewSchema: WireSchema<RunEventPageView> = z
  .strictObject({ status: runStatusSchema, events: z.array(eventSchema), next: text })
  .meta({ ref: 'RunEventPage' });

/** Schema of an event of a run's stream. */
export const runStreamEventSchema: WireSchema<RunStreamEvent> = z
  .union([eventSchema, z.strictObject({ type: z.literal('status'), status: runStatusSchema })])
  .meta({ ref: 'RunStreamEvent' });

/** Schema of a range of a transcript. */
export const runTranscriptViewSchema: WireSchema<RunTranscriptView> = z
  .strictObject({ text: z.string(), from: count, to: count, chars: count, omitted_chars: count })
  .meta({ ref: 'RunTranscript' });
