/** Tables of the sums of quality reports. */
import type { Count } from './chats.ts';

/** Answers with the same facts, that were requested in one hour or day, or the failures of one of their fields. */
export interface QualitySumRow {
  readonly owner: string;
  readonly width: 'hour' | 'day';
  /** Start of the hour or day, in milliseconds since 1970. */
  readonly start: Count;
  /** Hash of the facts and the field. */
  readonly key: string;
  /** Model, name, hash of the schema and mode, as a JSON list. */
  readonly facts: string;
  readonly answers: Count;
  readonly first_try: Count;
  readonly valid: Count;
  readonly attempts: Count;
  readonly unanswered: Count;
  readonly cost_usd: number | null;
  /** Pointer of the failed field, if the row is of a field. */
  readonly path: string | null;
  readonly rule: string | null;
  readonly failed: Count;
}

/** The last ended request of an owner that the sums contain. */
export interface QualityMarkRow {
  readonly owner: string;
  readonly ended_at: Count;
  readonly id: string;
}

/** The tables by name. */
export interface QualityTables {
  readonly quality_sums: QualitySumRow;
  readonly quality_marks: QualityMarkRow;
}
