/** OpenAPI document, generated from the schemas of requests and responses. */
import { Hono } from 'hono';
import { describeRoute, generateSpecs, resolver } from 'hono-openapi';
import { z } from 'zod';
import { problemDocumentSchema } from '../contract/wire/problem-wire.ts';
import { OPENAI_ROUTES } from '../openai/described-routes.ts';
import { OPERATION_TAGS } from './reference/operation-note.ts';
import { notesOf } from './reference/operation-notes.ts';
import { operationProblems } from './reference/operation-problems.ts';
import type { HttpRoute } from './route.ts';

const INFO = {
  title: 'Truecast',
  version: '1',
  description:
    'Chats with models and agents. The server validates each answer against your JSON Schema before it returns it. Every error is a problem document.',
};

const KEY_PARAMETER = {
  in: 'header',
  name: 'Idempotency-Key',
  description:
    'A repeated request with the same key and body returns the first answer. Another body returns 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;
const RESUME_PARAMETER = {
  in: 'header',
  name: 'Last-Event-ID',
  description: 'The id of the last received event.',
  schema: { type: 'string' },
} as const;

type DescribedRoute = Omit<HttpRoute, 'handle'> & {
  /** True if no token is needed. @default false */
  readonly isOpen?: boolean;
  /** @default false */
  readonly canStream?: boolean;
  /** Body of a refusal. @default a problem document */
  readonly refusal?: z.ZodType;
};

/** Operations for monitoring, answered before any route. */
export const WATCHED_ROUTES: readonly DescribedRoute[] = [
  {
    method: 'get',
    path: '/healthz',
    operationId: 'readHealth',
    summary: 'Check that the process answers; needs no token',
    isOpen: true,
    answer: {
      status: 200,
      description: 'It does',
      schema: z.strictObject({ status: z.literal('ok') }).meta({ ref: 'Health' }),
    },
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'readReadiness',
    summary: 'Check that the database accepts writes, and count the models that fail; needs no token',
    isOpen: true,
    answer: {
      status: 200,
      description: 'A write was committed within the last second',
      schema: z
        .strictObject({ status: z.literal('ready'), unavailable_models: z.int().min(0) })
        .meta({ ref: 'Ready' }),
    },
  },
  {
    method: 'get',
    path: '/metrics',
    operationId: 'readMetrics',
    summary: 'Read the metrics of the process in the Prometheus text format; needs the scope `metrics`',
    answer: { status: 200, description: 'The metrics', schema: z.string(), mediaType: 'text/plain' },
  },
];

/**
 * Generates the document of `routes`, the monitoring operations and the OpenAI-compatible API.
 *
 * @param basePath - the prefix of the paths in an app, '' if it is unknown. @default none: they begin at `/`
 */
export async function openApiDocument(routes: readonly HttpRoute[], basePath?: string): Promise<object> {
  const described = new Hono();
  for (const route of [...routes, ...WATCHED_ROUTES, ...OPENAI_ROUTES]) {
    described.on(route.method.toUpperCase(), route.path, describeRoute(describe(route)), (context) =>
      context.body(null),
    );
  }
  return generateSpecs(described, {
    documentation: {
      openapi: '3.1.0',
      info: INFO,
      // Relative to the address of the document.
      ...(basePath !== undefined && { servers: [{ url: basePath === '' ? '.' : basePath }] }),
      tags: OPERATION_TAGS.map((name) => ({ name })),
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
  });
}

type RouteDescription = Parameters<typeof describeRoute>[0];

function describe({ operationId, summary, body, query, answer, ...route }: DescribedRoute): RouteDescription {
  const { mediaType = 'application/json', schema, description, status } = answer;
  const notes = notesOf(operationId);
  const content = schema && {
    content: {
      ...Object.fromEntries(
        [mediaType].flat().map((type) => [type, { schema: resolver(schema), ...exampleOf(notes?.answer) }]),
      ),
      ...(route.canStream === true && { 'text/event-stream': { schema: resolver(z.string()) } }),
    },
  };
  // A server without the OpenAI-compatible API answers its paths with a problem document.
  const refusal = {
    description: route.refusal === undefined ? 'A problem document' : 'An error of the OpenAI API',
    content: {
      ...(route.refusal && { 'application/json': { schema: resolver(route.refusal) } }),
      'application/problem+json': { schema: resolver(problemDocumentSchema) },
    },
  };
  const described: RouteDescription = {
    operationId,
    summary,
    ...(notes !== undefined && { description: notes.description, tags: [notes.tag] }),
    ...(route.isOpen === true && { security: [] }),
    parameters: [
      ...(query === undefined ? [] : queryParameters(query)),
      ...(route.takesIdempotencyKey === true ? [KEY_PARAMETER] : []),
      ...(route.isStream === true ? [RESUME_PARAMETER] : []),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: resolver(body), ...exampleOf(notes?.body) } },
      },
    }),
    responses: { [status]: { description, ...content }, default: refusal },
  };
  if (route.refusal !== undefined) return described;
  const problems = operationProblems({
    ...route,
    hasBody: body !== undefined,
    hasQuery: query !== undefined,
    problems: notes?.problems,
  });
  return Object.assign(described, { 'x-problems': problems });
}

function exampleOf(example: unknown): { readonly example?: unknown } {
  return example === undefined ? {} : { example };
}

type ParameterList = NonNullable<RouteDescription['parameters']>;

const objectSchema = z.object({ properties: z.record(z.string(), z.record(z.string(), z.unknown())) });

function queryParameters(query: z.ZodType): ParameterList {
  const { properties } = objectSchema.parse(z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' }));
  return Object.entries(properties).map(([name, schema]) => ({ in: 'query', name, required: false, schema }));
}
