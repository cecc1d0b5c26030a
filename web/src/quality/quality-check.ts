/** Check of the parts of the quality report that the page uses. */
import {
  array,
  boolean,
  integer,
  number,
  object,
  oneOf,
  optional,
  string,
  type Check,
  type Shape,
} from '@truecast/client/internal/check';
import type {
  QualityField,
  QualityFigures,
  QualityRow,
  QualityView,
} from '@truecast/client/internal/wire/quality';

/** The members of the report that the page uses. */
export type QualityReport = Pick<
  QualityView,
  'since' | 'until' | 'bucket' | 'sources' | 'is_complete' | 'totals' | 'buckets' | 'rows' | 'fields'
>;

const figures: Shape<QualityFigures> = {
  answers: integer,
  first_try: integer,
  valid: integer,
  attempts: integer,
  unanswered: integer,
  first_try_share: optional(number),
  valid_share: optional(number),
  cost_usd: optional(number),
  deviations: optional(object({ re_asked: integer, repaired: integer, coerced: integer, raw: integer })),
};
const row: Check<QualityRow> = object({ ...figures, key: optional(string) });
const field: Check<QualityField> = object({
  name: optional(string),
  schema_hash: string,
  path: string,
  rule: string,
  model: optional(string),
  failed: integer,
  attempts: integer,
});

export const qualityCheck: Check<QualityReport> = object({
  since: string,
  until: string,
  bucket: oneOf('hour', 'day', 'week'),
  sources: array(oneOf('chats', 'runs', 'ensembles')),
  is_complete: boolean,
  totals: object<QualityFigures>(figures),
  buckets: array(
    object({ start: string, key: optional(string), answers: integer, first_try: integer, valid: integer }),
  ),
  rows: array(row),
  fields: array(field),
});
