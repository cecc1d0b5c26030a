/** Zod schemas of the schemas that requests used. Pure. */
import { z } from 'zod';
import type { SchemaDetailView, SchemaPageView, SchemaUseView } from '@truecast/client/internal/wire/request';
import { timeSchema } from '../time-schema.ts';
import type { WireSchema } from '../wire-schema.ts';

export type { SchemaDetailView, SchemaUseView } from '@truecast/client/internal/wire/request';

const count = z.int().min(0);
const use = {
  hash: z.string(),
  name: z.string().exactOptional(),
  first_used_at: timeSchema,
  last_used_at: timeSchema,
  requests: count,
  succeeded: count,
  failed: count,
  canceled: count,
};

const schemaUseViewSchema: WireSchema<SchemaUseView> = z.strictObject(use).meta({ ref: 'SchemaUse' });

/** Schema of a page of schemas. */
export const schemaPageViewSchema: WireSchema<SchemaPageView> = z
  .strictObject({ schemas: z.array(schemaUseViewSchema), next: z.string().exactOptional() })
  .meta({ ref: 'SchemaPage' });

/** Schema of one schema with its text. */
export const schemaDetailViewSchema: WireSchema<SchemaDetailView> = z
  .strictObject({ ...use, schema_text: z.string() })
  .meta({ ref: 'SchemaDetail' });
