/** Wire format of the quality report. */
import {
  array,
  boolean,
  bounded,
  count,
  number,
  object,
  oneOf,
  openOneOf,
  optional,
  string,
  time,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';

export const qualityBucketWidth = oneOf('hour', 'day', 'week');
/** Width of a bucket of time, in UTC. Weeks start on Thursday, as 1970 did. */
export type QualityBucketWidth = Of<typeof qualityBucketWidth>;

export const qualitySource = openOneOf('chats', 'runs', 'ensembles');
/** Where answers come from. */
export type QualitySource = Of<typeof qualitySource>;

export const qualityGroup = oneOf('source', 'model', 'name', 'schema_hash', 'agent', 'mode');
/** Fact by which answers are grouped. */
export type QualityGroup = Of<typeof qualityGroup>;

const key = optional(string);
const share = optional(bounded('number', { min: 0, max: 1 }));

const deviationMembers = {
  /** Requested again. */
  re_asked: count,
  /** Repaired before parsing. */
  repaired: count,
  /** The kind was replaced by a granted one. */
  coerced: count,
  /** The unparsed text was used. */
  raw: count,
};
/** Deviations of an ensemble's answers. They overlap: an answer can be re-asked and repaired. */
export interface QualityDeviations extends ObjectOf<typeof deviationMembers> {}
const qualityDeviations: Shape<QualityDeviations> = object(deviationMembers);

const figures = {
  answers: count,
  /** Answers whose first attempt was valid. */
  first_try: count,
  valid: count,
  attempts: count,
  /** Requests and runs that failed without an attempt, such as those of an unavailable model. */
  unanswered: count,
  first_try_share: share,
  valid_share: share,
  /** Sum of the requests whose cost is known. */
  cost_usd: optional(number),
  /**
   * Median and 95th percentile of the time from the start of an answer to its end, in milliseconds,
   * within 5 %. Absent without answers whose time is known.
   */
  p50_ms: optional(count),
  p95_ms: optional(count),
  /** Absent without answers of ensembles. */
  deviations: optional(qualityDeviations),
};
/**
 * Counts of answers. An answer is an ended request or run with at least one attempt, or an event of
 * a ledger that a model wrote. Canceled requests are not counted. Shares are rounded down to four
 * digits, and absent without answers.
 */
export interface QualityFigures extends ObjectOf<typeof figures> {}
const qualityFigures: Shape<QualityFigures> = object(figures, 'QualityFigures');

const rowMembers = {
  ...figures,
  /** Absent for answers without this fact. */
  key,
};
/** Figures of one group. */
export interface QualityRow extends ObjectOf<typeof rowMembers> {}
const qualityRow: Shape<QualityRow> = object(rowMembers, 'QualityRow');

const bucketMembers = {
  start: time,
  /** Group. Absent for all answers. */
  key,
  answers: count,
  first_try: count,
  valid: count,
  /** Only in buckets of all answers. */
  p50_ms: optional(count),
  p95_ms: optional(count),
};
/** Figures of a bucket of time, of all answers or of one group. */
export interface QualityBucket extends ObjectOf<typeof bucketMembers> {}
const qualityBucket: Shape<QualityBucket> = object(bucketMembers, 'QualityBucket');

const fieldMembers = {
  /** Name of the schema. */
  name: optional(string),
  schema_hash: string,
  /** JSON Pointer into the answer, with `*` for each array index. */
  path: string,
  rule: string,
  model: optional(string),
  /** Attempts with this issue. */
  failed: count,
  /** All attempts of this model for this schema. */
  attempts: count,
};
/** A field that a model got wrong in a chat. Runs and ensembles do not record the rules. */
export interface QualityField extends ObjectOf<typeof fieldMembers> {}
const qualityField: Shape<QualityField> = object(fieldMembers, 'QualityField');

const members = {
  since: time,
  until: time,
  bucket: qualityBucketWidth,
  by: qualityGroup,
  /** Sources that were read. */
  sources: array(qualitySource),
  /** False if there were more answers than are read at once: the oldest ones are missing. */
  is_complete: boolean,
  totals: qualityFigures,
  /** The oldest first, without empty ones. Only the largest groups have buckets. */
  buckets: array(qualityBucket),
  /** Groups, the largest first. */
  rows: array(qualityRow),
  /** Fields, the one that failed most often first. */
  fields: array(qualityField),
};
/** How often answers were valid, and which fields fail. */
export interface QualityView extends ObjectOf<typeof members> {}
export const qualityView: Shape<QualityView> = object(members, 'Quality');
