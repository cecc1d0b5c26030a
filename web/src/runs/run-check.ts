/** Checks of the parts of runs that the pages use. Pure. */
import {
  array,
  boolean,
  either,
  integer,
  number,
  object,
  oneOf,
  optional,
  string,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import type {
  KeptRunView,
  RunDetailView,
  RunEventPageView,
  RunEventView,
} from '@truecast/client/internal/wire/run';

/** Tokens and cost of a run. */
interface RunUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd?: number;
}

/** The fields of a run that its row shows. */
export type RunRow = { readonly usage?: RunUsage } & Pick<
  KeptRunView,
  | 'id'
  | 'name'
  | 'status'
  | 'is_replayed'
  | 'code'
  | 'error'
  | 'agent'
  | 'model'
  | 'attempts'
  | 'commits'
  | 'started_at'
  | 'duration_ms'
  | 'prompt_preview'
  | 'value_preview'
>;

/** The fields of a run that its page shows. */
export type RunPageData = Omit<RunDetailView, 'usage'> & { readonly usage?: RunUsage };

const text = optional(string);
const status = oneOf('live', 'interrupted', 'valid', 'failed', 'done');
const row = {
  id: string,
  name: text,
  status,
  is_replayed: optional(boolean),
  code: string,
  error: text,
  agent: string,
  model: text,
  attempts: array(
    object({
      code: string,
      message: string,
      span: optional(object({ start: integer, end: integer })),
    }),
  ),
  commits: array(string),
  usage: optional(object({ input_tokens: number, output_tokens: number, cost_usd: optional(number) })),
  started_at: string,
  duration_ms: number,
  prompt_preview: string,
  value_preview: text,
};

/** A page of runs. */
export interface RunList {
  readonly runs: readonly RunRow[];
  readonly next?: string;
}

/** Check of a page of runs. */
export const runListCheck: Shape<RunList> = object({ runs: array(object(row)), next: text });

/** Check of one run. */
export const runCheck: Shape<RunPageData> = object({
  ...row,
  sandbox: string,
  egress: text,
  branch: text,
  mode: text,
  tag: text,
  schema_hash: text,
  prompt: string,
  value_text: text,
  warnings: array(string),
  repairs: optional(array(object({ kind: string, path: array(either([string, number])) }))),
  check: optional(
    object({ verdict: oneOf('passed', 'failed'), commit: string, tree: string, duration_ms: number }),
  ),
  transcript: object({ text: string, omitted_chars: integer }),
});

const runEvent: Shape<RunEventView> = object({
  id: string,
  type: oneOf(
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
  ),
  at: string,
  iteration: integer,
  text,
  name: text,
  is_error: optional(boolean),
});

/** Check of a page of events. */
export const runEventPageCheck: Shape<RunEventPageView> = object({
  status,
  events: array(runEvent),
  next: text,
});
