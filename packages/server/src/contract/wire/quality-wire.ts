/** Zod schemas of the quality report. Pure. */
import { z } from 'zod';
import type {
  QualityBucket,
  QualityBucketWidth,
  QualityField,
  QualityFigures,
  QualityGroup,
  QualityRow,
  QualitySource,
  QualityView,
} from '@truecast/client/internal/wire/quality';
import { timeSchema } from '../time-schema.ts';
import type { WireSchema } from '../wire-schema.ts';

export type {
  QualityBucketWidth,
  QualityField,
  QualityFigures,
  QualityGroup,
  QualityRow,
  QualitySource,
  QualityView,
} from '@truecast/client/internal/wire/quality';

const count = z.int().min(0);
const share = z.number().min(0).max(1).exactOptional();
const key = z.string().exactOptional();
const figures = {
  answers: count,
  first_try: count,
  valid: count,
  attempts: count,
  unanswered: count,
  first_try_share: share,
  valid_share: share,
  cost_usd: z.number().exactOptional(),
  deviations: z
    .strictObject({ re_asked: count, repaired: count, coerced: count, raw: count })
    .exactOptional(),
};

/** Schema of the width of a bucket. */
export const qualityBucketWidthSchema: WireSchema<QualityBucketWidth> = z.enum(['hour', 'day', 'week']);

/** Schema of a source. */
export const qualitySourceSchema: WireSchema<QualitySource> = z.enum(['chats', 'runs', 'ensembles']);

/** Schema of the fact by which answers are grouped. */
export const qualityGroupSchema: WireSchema<QualityGroup> = z.enum([
  'source',
  'model',
  'name',
  'schema_hash',
  'agent',
  'mode',
]);

const figuresSchema: WireSchema<QualityFigures> = z.strictObject(figures).meta({ ref: 'QualityFigures' });
const rowSchema: WireSchema<QualityRow> = z.strictObject({ ...figures, key }).meta({ ref: 'QualityRow' });
const bucketSchema: WireSchema<QualityBucket> = z
  .strictObject({ start: timeSchema, key, answers: count, first_try: count, valid: count })
  .meta({ ref: 'QualityBucket' });
const fieldSchema: WireSchema<QualityField> = z
  .strictObject({
    name: z.string().exactOptional(),
    schema_hash: z.string(),
    path: z.string(),
    rule: z.string(),
    model: z.string().exactOptional(),
    failed: count,
    attempts: count,
  })
  .meta({ ref: 'QualityField' });

/** Schema of the report. */
export const qualityViewSchema: WireSchema<QualityView> = z
  .strictObject({
    since: timeSchema,
    until: timeSchema,
    bucket: qualityBucketWidthSchema,
    by: qualityGroupSchema,
    sources: z.array(qualitySourceSchema),
    is_complete: z.boolean(),
    totals: figuresSchema,
    buckets: z.array(bucketSchema),
    rows: z.array(rowSchema),
    fields: z.array(fieldSchema),
  })
  .meta({ ref: 'Quality' });
