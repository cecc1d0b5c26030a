/** Wire format of the quality report. Types only: the server has the Zod schemas. */

/** Width of a bucket of time, in UTC. Weeks start on Thursday, as 1970 did. */
export type QualityBucketWidth = 'hour' | 'day' | 'week';

/** Where answers come from. */
export type QualitySource = 'chats' | 'runs' | 'ensembles';

/** Fact by which answers are grouped. */
export type QualityGroup = 'source' | 'model' | 'name' | 'schema_hash' | 'agent' | 'mode';

/** Deviations of an ensemble's answers. They overlap: an answer can be re-asked and repaired. */
export interface QualityDeviations {
  /** Requested again. */
  readonly re_asked: number;
  /** Repaired before parsing. */
  readonly repaired: number;
  /** The kind was replaced by a granted one. */
  readonly coerced: number;
  /** The unparsed text was used. */
  readonly raw: number;
}

/**
 * Counts of answers. An answer is an ended request or run with at least one attempt, or an event of
 * a ledger that a model wrote. Canceled requests are not counted. Shares are rounded down to four digits, and absent without answers.
 */
export interface QualityFigures {
  readonly answers: number;
  /** Answers whose first attempt was valid. */
  readonly first_try: number;
  readonly valid: number;
  readonly attempts: number;
  /** Requests and runs that failed without an attempt, such as those of an unavailable model. */
  readonly unanswered: number;
  readonly first_try_share?: number;
  readonly valid_share?: number;
  /** Sum of the requests whose cost is known. */
  readonly cost_usd?: number;
  /** Absent without answers of ensembles. */
  readonly deviations?: QualityDeviations;
}

/** Figures of one group. */
export interface QualityRow extends QualityFigures {
  /** Absent for answers without this fact. */
  readonly key?: string;
}

/** Figures of a bucket of time, of all answers or of one group. */
export interface QualityBucket {
  readonly start: string;
  /** Group. Absent for all answers. */
  readonly key?: string;
  readonly answers: number;
  readonly first_try: number;
  readonly valid: number;
}

/** A field that a model got wrong in a chat. Runs and ensembles do not record the rules. */
export interface QualityField {
  /** Name of the schema. */
  readonly name?: string;
  readonly schema_hash: string;
  /** JSON Pointer into the answer, with `*` for each array index. */
  readonly path: string;
  readonly rule: string;
  readonly model?: string;
  /** Attempts with this issue. */
  readonly failed: number;
  /** All attempts of this model for this schema. */
  readonly attempts: number;
}

/** How often answers were valid, and which fields fail. */
export interface QualityView {
  readonly since: string;
  readonly until: string;
  readonly bucket: QualityBucketWidth;
  readonly by: QualityGroup;
  /** Sources that were read. */
  readonly sources: readonly QualitySource[];
  /** False if there were more answers than are read at once: the oldest ones are missing. */
  readonly is_complete: boolean;
  readonly totals: QualityFigures;
  /** The oldest first, without empty ones. Only the largest groups have buckets. */
  readonly buckets: readonly QualityBucket[];
  /** Groups, the largest first. */
  readonly rows: readonly QualityRow[];
  /** Fields, the one that failed most often first. */
  readonly fields: readonly QualityField[];
}
