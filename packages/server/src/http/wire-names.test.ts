/**
 * Names on the wire: every path, parameter, field and literal of the OpenAPI document, and every
 * event of the stream is snake_case. Headers, operation ids, and names of files and of the
 * providers in a file of models keep their conventions.
 */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { PROBLEM_STATUS } from '../contract/wire/problem-wire.ts';
import { toZod } from '../contract/to-zod.ts';
import { chatStreamEvent } from '@truecast/client/internal/wire/stream-event';
import { AGENT_RUN_ARTIFACTS } from '@truecast/client/internal/wire/wire-codes';
import { openApiDocument } from './openapi-document.ts';
import { ROUTES } from './routes/all-routes.ts';

const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/u;

it('every path and query parameter is snake_case', () => {
  const names = ROUTES.flatMap(({ path, query }) => [
    ...path.split('/').map((segment) => segment.replace(':', '')),
    ...(query === undefined ? [] : namesIn(z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' }))),
  ]).filter((name) => name !== '');
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !SNAKE_CASE.test(name))).toEqual([]);
});

it('every field and literal of a body, a response and a problem is snake_case', async () => {
  const names = namesIn(await openApiDocument(ROUTES));
  expect(names).toEqual(expect.arrayContaining(['tool_call', 'chat_not_found', 'result_text', 'not_run']));
  expect(names.length).toBeGreaterThan(300);
  const others: readonly string[] = [...AGENT_RUN_ARTIFACTS, 'openai-compatible'];
  expect(names.filter((name) => !SNAKE_CASE.test(name) && !others.includes(name))).toEqual([]);
});

it('every event of a stream is snake_case', () => {
  const schema = z.toJSONSchema(toZod(chatStreamEvent), { unrepresentable: 'any' });
  const names = namesIn(schema);
  expect(names).toEqual(expect.arrayContaining(['history_reset', 'action_required', 'preview_reset']));
  expect(names.filter((name) => !SNAKE_CASE.test(name))).toEqual([]);
});

it('every problem code is snake_case, and documented in the schema', async () => {
  const names = new Set(namesIn(await openApiDocument(ROUTES)));
  const codes = Object.keys(PROBLEM_STATUS);
  expect(codes.filter((code) => !SNAKE_CASE.test(code) || !names.has(code))).toEqual([]);
});

/** Property names, and string literals of `const` and `enum`, at any depth of JSON Schemas. */
function namesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(namesIn);
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'properties' && typeof value === 'object' && value !== null) {
      return [...Object.keys(value), ...Object.values(value).flatMap(namesIn)];
    }
    const literals = key === 'enum' || key === 'const' ? [value].flat() : [];
    return [...literals.filter((literal) => typeof literal === 'string'), ...namesIn(value)];
  });
}
