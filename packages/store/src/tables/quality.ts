/** Tables of the sums of quality reports. */
import type { RowOf } from './columns.ts';

export const QUALITY_SUMS = {
  owner: 'text',
  width: 'text',
  /** Start of the hour or day, in milliseconds since 1970. */
  start: 'integer',
  /** Hash of the facts and the field, because Postgres limits the size of an index's row. */
  key: 'text',
  /** Model, name, hash of the schema and mode, as a JSON list. */
  facts: 'text',
  answers: 'integer',
  first_try: 'integer',
  valid: 'integer',
  attempts: 'integer',
  unanswered: 'integer',
  cost_usd: 'real?',
  /** Pointer of the failed field, if the row is of a field. Such a row has no other counts. */
  path: 'text?',
  rule: 'text?',
  failed: 'integer',
  /** Number of a bucket of times, if `answers` are those whose time is in it. Such a row has no other counts. */
  time_bucket: 'integer?',
} as const;
/** Answers with the same facts, that were requested in one hour or day, or the failures of one of their fields. */
export interface QualitySumRow extends RowOf<typeof QUALITY_SUMS> {
  readonly width: 'hour' | 'day';
}

export const QUALITY_MARKS = {
  owner: 'text',
  ended_at: 'integer',
  id: 'text',
} as const;
/** The last ended request of an owner that the sums contain. */
export interface QualityMarkRow extends RowOf<typeof QUALITY_MARKS> {}

export interface QualityTables {
  readonly quality_sums: QualitySumRow;
  readonly quality_marks: QualityMarkRow;
}
