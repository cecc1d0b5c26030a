/** OpenAPI document: complete, with the type `unknown` for arbitrary JSON. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { readFileSync } from 'node:fs';
import { docsPage } from './pages/docs-page.ts';
import { llmsPage } from './reference/llms-page.ts';
import { notesOf } from './reference/operation-notes.ts';
import { PROBLEM_REMEDIES } from './reference/operation-problems.ts';
import { openApiDocument, WATCHED_ROUTES } from './openapi-document.ts';
import { OPENAI_ROUTES } from '../openai/described-routes.ts';
import { ROUTES } from './routes/all-routes.ts';

const node = z.record(z.string(), z.unknown());
const documentSchema = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), node)),
  components: z.object({ schemas: z.record(z.string(), node) }),
});

const made = openApiDocument(ROUTES);
const read = async (): Promise<z.infer<typeof documentSchema>> => documentSchema.parse(await made);

it('is valid under the OpenAPI schema', async () => {
  const validator = new Validator();
  // The validator resolves references in place.
  const document = structuredClone(await made);
  expect(await validator.validate({ ...document })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const broken = { ...document, paths: { '/x': { get: { responses: { 200: {} } } } } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

it('has every route, with its operation id', async () => {
  const { paths } = await read();
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${String(operationId)}`),
  );
  const served = [...ROUTES, ...WATCHED_ROUTES, ...OPENAI_ROUTES].map(
    ({ method, path, operationId }) => `${method} ${path.replaceAll(/:(\w+)/gu, '{$1}')} ${operationId}`,
  );
  expect(documented.sort()).toEqual(served.sort());
});

it('defines all its references, and uses only known keywords', async () => {
  const document = await read();
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/gu)].map((match) => match[1] ?? '');
  expect(references.length).toBeGreaterThan(20);
  for (const reference of references) {
    const name = /^#\/components\/schemas\/(\w+)$/u.exec(reference)?.[1] ?? '';
    expect([reference, document.components.schemas[name] !== undefined]).toEqual([reference, true]);
  }
  expect(text).not.toMatch(/"\$(?:defs|id|schema)"|"ref":"|__schema/u);
});

it('describes arbitrary JSON as anything, never as bytes or text', async () => {
  const { components } = await read();
  const result = z.object({ properties: node }).parse(components.schemas['ToolResults']);
  expect(JSON.stringify(result)).toContain('"output":{}');
  expect(JSON.stringify(components)).not.toMatch(/"format":"(?:byte|binary)"|"contentEncoding"/u);
  const tool = z.object({ properties: node }).parse(components.schemas['DynamicTool']);
  expect(tool.properties['input_schema']).toEqual({
    type: 'object',
    propertyNames: { type: 'string' },
    additionalProperties: {},
  });
});

it('describes every operation with a tag, a purpose and valid examples', async () => {
  const { paths } = await read();
  const routes = [...ROUTES, ...WATCHED_ROUTES, ...OPENAI_ROUTES];
  for (const { operationId, method, path, body, answer } of routes) {
    const notes = notesOf(operationId);
    const operation = paths[path.replaceAll(/:(\w+)/gu, '{$1}')]?.[method] ?? {};
    expect([operationId, operation['tags']]).toEqual([operationId, [expect.any(String)]]);
    expect([operationId, String(operation['description']).length > 40]).toEqual([operationId, true]);
    for (const [schema, example] of [
      [body, notes?.body],
      [answer.schema, notes?.answer],
    ] as const) {
      expect([operationId, schema?.safeParse(example).error?.issues]).toEqual([operationId, undefined]);
    }
  }
});

it('lists the problems of an operation with what to do, as docs/errors.md does', async () => {
  const { paths } = await read();
  const problems = z
    .array(z.object({ code: z.string(), status: z.int(), remedy: z.string() }))
    .parse(paths['/api/chats/{id}/messages']?.['post']?.['x-problems']);
  expect(problems.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['queue_full', 'chat_not_found', 'invalid_body', 'unauthorized']),
  );
  const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
  const sent = page.slice(page.indexOf('## `RequestRefusedError`'));
  const remedies = new Map(
    [...sent.matchAll(/^\| `([a-z-]+)` \|.*\| (.+) \|$/gmu)].map(([, code = '', remedy = '']) => [
      code,
      remedy,
    ]),
  );
  for (const [code, remedy] of Object.entries(PROBLEM_REMEDIES)) {
    const documented = remedies.get(code.replaceAll('_', '-'));
    if (documented !== undefined) expect([code, remedy]).toEqual([code, documented]);
  }
});

it('lists all operations as text for agents', async () => {
  const text = llmsPage(await made);
  for (const { operationId } of ROUTES) expect(text).toContain(`(../docs#${operationId})`);
});

it('becomes a page that loads nothing', async () => {
  const page = docsPage(await made);
  expect(page).not.toMatch(/<script|src=|@import|url\(|=\s*["']?https?:/u);
  for (const { operationId } of ROUTES) expect(page).toContain(`id="${operationId}"`);
});
