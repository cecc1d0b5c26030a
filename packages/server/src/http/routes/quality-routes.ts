/** Route of the quality report. */
import { z } from 'zod';
import {
  qualityBucketWidthSchema,
  qualityGroupSchema,
  qualityViewSchema,
} from '../../contract/wire/quality-wire.ts';
import { readQuality } from '../../quality/read-quality.ts';
import { timeParameter } from '../read-query.ts';
import { defineRoute, type HttpRoute } from '../route.ts';

const DEFAULT_RANGE_MS = 7 * 24 * 3_600_000;

const text = z.string().min(1);
const query = z
  .strictObject({
    since: timeParameter.exactOptional(),
    until: timeParameter.exactOptional(),
    bucket: qualityBucketWidthSchema.exactOptional(),
    by: qualityGroupSchema.default('model'),
    source: z.enum(['chats']).exactOptional(),
    model: text.exactOptional(),
    name: text.exactOptional(),
    schema_hash: text.exactOptional(),
  })
  .refine(
    ({ since, until }) => since === undefined || until === undefined || Date.parse(since) < Date.parse(until),
    {
      path: ['since'],
      message: 'Must be before `until`',
    },
  );

/** The routes, in documentation order. */
export const QUALITY_ROUTES: readonly HttpRoute[] = [
  defineRoute<Record<string, never>, z.infer<typeof query>>({
    method: 'get',
    path: '/api/quality',
    operationId: 'readQuality',
    summary: 'Count how often answers were valid, by time and group, and which fields fail',
    query,
    answer: {
      status: 200,
      description: 'The report of the last 7 days, or of the range',
      schema: qualityViewSchema,
    },
    async handle({
      parts,
      owner,
      query: { since, until, schema_hash: schemaHash, source: _source, ...asked },
    }) {
      const end = until === undefined ? Date.now() : Date.parse(until);
      const start = since === undefined ? end - DEFAULT_RANGE_MS : Date.parse(since);
      const body = await readQuality(parts.store.db, {
        owner,
        since: start,
        until: end,
        ...asked,
        ...(schemaHash !== undefined && { schemaHash }),
      });
      return { status: 200, body };
    },
  }),
];
