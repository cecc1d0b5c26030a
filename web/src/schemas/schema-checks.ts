/** Checks of the server's responses about schemas. Pure. */
import { array, integer, object, optional, string, type Shape } from '@truecast/core/internal/shape/shape';
import type { SchemaDetailView, SchemaPageView } from '@truecast/client/internal/wire/request';

const shape = {
  hash: string,
  name: optional(string),
  first_used_at: string,
  last_used_at: string,
  requests: integer,
  succeeded: integer,
  failed: integer,
  canceled: integer,
};

/** Check of a page of schemas. */
export const schemaPageCheck: Shape<SchemaPageView> = object({
  schemas: array(object(shape)),
  next: optional(string),
});

/** Check of a schema with its text. */
export const schemaDetailCheck: Shape<SchemaDetailView> = object({ ...shape, schema_text: string });
