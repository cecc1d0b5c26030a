import { expect, it } from 'vitest';
import { readFormat } from './read-format.ts';

const SCHEMA = '{"type":"object"}';

it.each([
  [{}, 'chat'],
  [{ messages: [{ response_format: {} }] }, 'chat'],
  [{ text: null }, 'responses'],
  [{ text: { verbosity: 'low' } }, 'responses'],
] as const)('does not search the text of a body without a format: %j', (value, api) => {
  expect(readFormat('not JSON', value, api)).toEqual({ success: true, format: undefined });
});

it.each([
  [`{"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":${SCHEMA}}}}`, 'chat'],
  [`{"response\\u005fformat":{"type":"json_schema","json_schema":{"name":"n","schema":${SCHEMA}}}}`, 'chat'],
  [`{"text":{"format":{"type":"json_schema","name":"n","schema":${SCHEMA}}}}`, 'responses'],
] as const)('reads the format of %s', (body, api) => {
  expect(readFormat(body, JSON.parse(body), api)).toMatchObject({ success: true, format: { name: 'n' } });
});

it('refuses a format that is no object', () => {
  const body = '{"text":{"format":7}}';
  expect(readFormat(body, JSON.parse(body), 'responses')).toMatchObject({ success: false });
});
