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
  type Shape,
} from '@truecast/core/internal/shape/shape';
import type { QualityField, QualityRow, QualityView } from '@truecast/client/internal/wire/quality';

/** The members of the report that the page uses. */
export type QualityReport = Pick<
  QualityView,
  'since' | 'until' | 'bucket' | 'sources' | 'is_complete' | 'totals' | 'buckets' | 'rows' | 'fields'
>;

const figures = {
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
const row: Shape<QualityRow> = object({ ...figures, key: optional(string) });
const field: Shape<QualityField> = object({
  name: optional(string),
  schema_hash: string,
  path: string,
  rule: string,
  model: optional(string),
  failed: integer,
  attempts: integer,
});

export const qualityCheck: Shape<QualityReport> = object({
  since: string,
  until: string,
  bucket: oneOf('hour', 'day', 'week'),
  sources: array(oneOf('chats', 'runs', 'ensembles')),
  is_complete: boolean,
  totals: object(figures),
  buckets: array(
    object({ start: string, key: optional(string), answers: integer, first_try: integer, valid: integer }),
  ),
  rows: array(row),
  fields: array(field),
});
