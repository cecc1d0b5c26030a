/** Route of the quality report. */
import { z } from 'zod';
import type { AccessToken } from '../../contract/access-tokens.ts';
import { toZod } from '../../contract/to-zod.ts';
import {
  qualityBucketWidth,
  qualityGroup,
  qualitySource,
  qualityView,
  type QualitySource,
  type QualityView,
} from '@truecast/client/internal/wire/quality';
import { readQuality } from '../../quality/read-quality.ts';
import { assertScope } from '../../tokens/access-token.ts';
import { timeParameter } from '../read-query.ts';
import { defineRoute, type HttpRoute } from '../route.ts';

const DEFAULT_RANGE_MS = 7 * 24 * 3_600_000;

const SOURCES: readonly QualitySource[] = ['chats', 'runs', 'ensembles'];

const text = z.string().min(1);
const query = z
  .strictObject({
    since: timeParameter.exactOptional(),
    until: timeParameter.exactOptional(),
    bucket: toZod(qualityBucketWidth).exactOptional(),
    by: toZod(qualityGroup).default('model'),
    source: toZod(qualitySource).exactOptional(),
    model: text.exactOptional(),
    name: text.exactOptional(),
    schema_hash: text.exactOptional(),
    agent: text.exactOptional(),
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
    summary:
      'Count how often answers were valid, by time and group, and which fields fail; runs and ensembles need the scope `project`',
    query,
    answer: {
      status: 200,
      description: 'The report of the last 7 days, or of the range',
      schema: toZod(qualityView),
    },
    async handle({ parts, owner, token, query: asked }) {
      const { since, until, schema_hash: schemaHash, source, ...rest } = asked;
      const sources = sourcesOf(token, source);
      const read = (): Promise<QualityView> => {
        const end = until === undefined ? Date.now() : Date.parse(until);
        const start = since === undefined ? end - DEFAULT_RANGE_MS : Date.parse(since);
        const range = { owner, since: start, until: end, sources };
        return readQuality(
          { store: parts.store, runs: parts.runs },
          { ...range, ...rest, ...(schemaHash !== undefined && { schemaHash }) },
        );
      };
      const body = await parts.quality.get(owner, JSON.stringify([sources, asked]), read);
      return { status: 200, body };
    },
  }),
];

/** Runs and ensembles belong to the project. Without that scope, the report covers only chats. */
function sourcesOf(token: AccessToken, source: QualitySource | undefined): readonly QualitySource[] {
  if (source === undefined) return token.scopes.includes('project') ? SOURCES : ['chats'];
  if (source !== 'chats') assertScope(token, 'project');
  return [source];
}
