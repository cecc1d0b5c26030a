/**
 * Costly schemas as response formats, over real HTTP: each is answered or rejected with a code,
 * while other clients are served.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matrixColumns } from '../../../../test/matrix.ts';
import { COSTLY, nestedMerges, SELF_MERGE } from '../../../../test/schema-suite/costly-schemas.ts';
import { DIALECTS } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
import { MODELS } from '@truecast/model/internal/test-models';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { dryRunFormat } from '../format/dry-run.ts';
import { compatibleModel } from '../models/resolve-model.ts';
import { startServer, type TestServer } from './test-server.ts';

function formatOf(schema: object): object {
  return { type: 'json_schema', json_schema: { name: 'answer', schema } };
}

/** The short form sends each schema on one of the two routes. */
const inTurns = (route: number): typeof COSTLY => matrixColumns(route, COSTLY, { rows: 2 });

describe('a costly schema', () => {
  let upstream: ScriptedModelServer;
  let server: TestServer;

  beforeAll(async () => {
    upstream = await scriptedModelServer({ script: () => reply.text('{}') });
    const model = { id: 'test', ...compatibleModel(MODELS['openai compatible']!(upstream)) };
    const openAI = { models: { find: () => Promise.resolve(model), list: () => ['test'] } };
    server = await startServer({ openAI });
  });
  afterAll(async () => {
    await server.close();
    await upstream[Symbol.asyncDispose]();
    expect(server.faults).toEqual([]);
  });

  it.each(inTurns(0))('gets a report from POST /api/response_formats/validate: $name', async ({ schema }) => {
    const body = { response_format: formatOf(schema) };
    const { status, json } = await server.ask('POST', '/api/response_formats/validate', { body });
    expect(status).toBe(200);
    expect(json.dialects).toHaveLength(json.is_valid ? DIALECTS.length : 0);
    expect(json.problems.length > 0).toBe(!json.is_valid);
  });

  it('with a recursive merge is accepted for providers with recursion', async () => {
    const { definitions } = SELF_MERGE;
    const schema = { type: 'object', properties: { a: { $ref: '#/definitions/t' } }, definitions };
    const body = { response_format: formatOf(schema) };
    const { json } = await server.ask('POST', '/api/response_formats/validate', { body });
    const taken = json.dialects.filter(({ is_taken }) => is_taken).map(({ dialect }) => dialect);
    expect(taken).toEqual(expect.arrayContaining(['openai', 'gemini']));
  });

  it.each(inTurns(1))(
    'gets an answer or a code from POST /v1/chat/completions: $name',
    async ({ schema }) => {
      const messages = [{ role: 'user', content: 'Hi' }];
      const body = { model: 'test', messages, response_format: formatOf(schema) };
      const { status, text } = await server.ask('POST', '/v1/chat/completions', { body });
      expect([200, 400, 422]).toContain(status);
      const answer: unknown = JSON.parse(text);
      if (status === 200) expect(answer).toHaveProperty('choices');
      else expect(answer).toHaveProperty('error.code', expect.any(String));
    },
  );
});

it('the event loop turns between two dialects', async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const { dialects } = await dryRunFormat(JSON.stringify(formatOf(nestedMerges(6))));
  isDone = true;
  expect(dialects).toHaveLength(DIALECTS.length);
  expect(turns).toBeGreaterThanOrEqual(4);
});
