/**
 * Validates test traffic against the OpenAPI document, with a third-party validator. It is the committed one, which
 * `test/openapi-client` compares with the routes and renews: to make it takes each worker 40 times as long.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '@truecast/core/internal/json/parse-json';

const DOCUMENT = new URL('../../../../test/openapi-client/openapi.json', import.meta.url);

/** A request and its response. */
export interface Exchange {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** The sent body, if it is text. */
  readonly sent?: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

const content = z
  .record(z.string(), z.object({ schema: z.object({ $ref: z.string().optional() }).optional() }))
  .optional();
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(z.object({ in: z.string(), name: z.string() })).default([]),
        requestBody: z.object({ content }).optional(),
        responses: z.record(z.string(), z.object({ content })),
      }),
    ),
  ),
});

type OpenApi = z.infer<typeof documentSchema>;
type Operation = OpenApi['paths'][string][string];

// The whole document is not a schema. `openapi-document.test.ts` checks it.
const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  // Each worker compiles the schemas, and reads few texts with each: so it takes a third of the time.
  inlineRefs: false,
  code: { optimize: false },
});
const loaded: Promise<OpenApi> = readFile(DOCUMENT, 'utf8').then((text) => {
  const parsed = parseJson(text);
  assert(parsed.success);
  ajv.addSchema(z.record(z.string(), z.unknown()).parse(parsed.value), 'openapi');
  return documentSchema.parse(parsed.value);
});

/** Fails on any deviation: operation, parameters, accepted body, status, media type, response. */
export async function assertDocumented(exchange: Exchange): Promise<void> {
  const { paths } = await loaded;
  if (exchange.method === 'HEAD') return assert.equal(exchange.text, '');
  const url = new URL(exchange.path, 'http://127.0.0.1');
  const path = Object.keys(paths).find((pattern) => matches(pattern, url.pathname));
  const method = exchange.method.toLowerCase();
  const operation = path === undefined ? undefined : paths[path]?.[method];
  if (path === undefined || operation === undefined) return assertRefusal(exchange);
  const at = ['paths', path, method];
  if (exchange.status < 400) assertTaken(exchange, operation, { at, url });
  assertAnswer(exchange, operation, at);
}

/**
 * Undocumented paths can only be refused. Pages are not part of the document.
 */
function assertRefusal({ contentType, text }: Exchange): void {
  if (contentType !== 'application/problem+json') return;
  assertValid('openapi#/components/schemas/ProblemDocument', text);
}

function assertTaken(
  { sent }: Exchange,
  { parameters, requestBody, operationId }: Operation,
  { at, url }: { readonly at: readonly string[]; readonly url: URL },
): void {
  const known = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const unknown = [...url.searchParams.keys()].filter((name) => !known.includes(name));
  if (unknown.length > 0) fail(`${operationId} took ${unknown.join(', ')}, which it does not describe.`);
  if (sent === undefined) return;
  if (requestBody?.content === undefined && sent !== '{}') fail(`${operationId} took a body.`);
  if (requestBody?.content !== undefined) {
    const type = 'application/json';
    assertValid(referenceTo(requestBody.content, [...at, 'requestBody', 'content', type, 'schema']), sent);
  }
}

function assertAnswer(
  { status, contentType, text }: Exchange,
  { responses, operationId }: Operation,
  at: readonly string[],
): void {
  const key = responses[status] !== undefined || status < 400 ? String(status) : 'default';
  const described = responses[key];
  if (described === undefined) return fail(`${operationId} answered ${status}, which it does not describe.`);
  const mediaType = contentType?.split(';')[0] ?? '';
  if (described.content === undefined) {
    if (text !== '') fail(`${operationId} answered ${status} with a body.`);
    return;
  }
  if (described.content[mediaType] === undefined) {
    return fail(`${operationId} answered ${status} as ${mediaType}, which it does not describe.`);
  }
  if (!mediaType.endsWith('json')) return;
  const place = [...at, 'responses', key, 'content', mediaType, 'schema'];
  assertValid(referenceTo(described.content, place), text);
}

const compiled = new Map<string, ValidateFunction>();

/** Returns the address of a schema: of its component, which many operations share, or of its own place. */
function referenceTo(described: NonNullable<z.infer<typeof content>>, at: readonly string[]): string {
  const component = described[at.at(-2) ?? '']?.schema?.$ref;
  if (component !== undefined) return `openapi${component}`;
  const pointer = at.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `openapi#/${pointer.join('/')}`;
}

function assertValid(reference: string, text: string): void {
  const validate = compiled.get(reference) ?? ajv.compile({ $ref: reference });
  compiled.set(reference, validate);
  const parsed = parseJson(text);
  if (parsed.success && validate(parsed.value)) return;
  fail(`${reference} does not describe ${text.slice(0, 2_000)}: ${ajv.errorsText(validate.errors)}`);
}

function matches(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const wanted = pattern.split('/');
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  );
}

function fail(message: string): never {
  assert.fail(`The OpenAPI document disagrees: ${message}`);
}
