/** Routes of the schemas that an owner's requests used. */
import { toTime } from '../../contract/to-time.ts';
import { z } from 'zod';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { toZod } from '../../contract/to-zod.ts';
import { schemaDetailView, schemaPageView, type SchemaUseView } from '@truecast/client/internal/wire/request';
import { listSchemas, readSchemaUse, type SchemaUse } from '../../quality/schema-list.ts';
import { pageCursor, pageLimit } from '../read-query.ts';
import { defineRoute, type HttpRoute } from '../route.ts';

const listQuery = z.strictObject({ limit: pageLimit, after: pageCursor });

/** The routes, in documentation order. */
export const SCHEMA_ROUTES: readonly HttpRoute[] = [
  defineRoute<Record<string, never>, z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/schemas',
    operationId: 'listSchemas',
    summary: 'List the schemas of your requests with counts and without their text, the last used first',
    query: listQuery,
    answer: { status: 200, description: 'A page of schemas', schema: toZod(schemaPageView) },
    async handle({ parts, owner, query }) {
      const { schemas, next } = await parts.store.view((db) => listSchemas(db, { owner, ...query }));
      const body = { schemas: schemas.map(toSchemaView), ...(next !== undefined && { next }) };
      return { status: 200, body };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/schemas/:hash',
    operationId: 'readSchema',
    summary: 'Read a schema of your requests with its text',
    answer: { status: 200, description: 'The schema', schema: toZod(schemaDetailView) },
    async handle({ parts, owner, params }) {
      const schema = await parts.store.view((db) => readSchemaUse(db, { owner, hash: params['hash'] ?? '' }));
      if (schema === undefined) {
        throw new RequestRefusedError(
          'No request of yours used a schema with this hash. List the schemas again.',
          { code: 'not-found' },
        );
      }
      return { status: 200, body: { ...toSchemaView(schema), schema_text: schema.text } };
    },
  }),
];

function toSchemaView({ hash, name, firstUsedAt, lastUsedAt, ...use }: SchemaUse): SchemaUseView {
  const { requests, succeeded, failed, canceled } = use;
  return {
    hash,
    ...(name !== null && { name }),
    first_used_at: toTime(firstUsedAt),
    last_used_at: toTime(lastUsedAt),
    requests,
    succeeded,
    failed,
    canceled,
  };
}
