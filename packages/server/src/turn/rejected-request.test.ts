import { expect, it } from 'vitest';
import { readRefusal } from '@truecast/model/internal/ladder/read-refusal';
import { isSearchRejected } from './rejected-request.ts';

function rejection(error: object, statusCode = 400): Error {
  return Object.assign(new Error('message' in error ? String(error.message) : ''), {
    statusCode,
    responseBody: JSON.stringify({ error }),
  });
}

/** As OpenAI answers a forced choice next to its search. */
const NO_CHOICE_WITH_SEARCH = rejection({
  message:
    "Tool choices other than 'auto' are not supported with model 'gpt-5-mini' and the following tool types: 'web_search'.",
  type: 'invalid_request_error',
  param: 'tool_choice',
  code: null,
});

it('is not about the search if the forced choice is rejected next to it', () => {
  expect(isSearchRejected(NO_CHOICE_WITH_SEARCH)).toBe(false);
  expect(readRefusal(NO_CHOICE_WITH_SEARCH, 'required')).toEqual({ type: 'step', drops: ['required'] });
  expect(readRefusal(NO_CHOICE_WITH_SEARCH, 'schema')).toBeUndefined();
});

it.each([
  ['the tools', rejection({ message: 'No.', param: 'tools', code: null }), true],
  ['the type of a tool', rejection({ message: 'No.', param: 'tools[1].type' }), true],
  ['a function', rejection({ message: 'No web_search.', param: 'tools[1].function.parameters' }), false],
  ['another field', rejection({ message: 'No web_search.', param: 'temperature' }), false],
  ['no field', rejection({ type: 'invalid_request_error', message: 'No web_search.' }), true],
  ['no field, and another part', rejection({ message: 'No pictures.' }), false],
  ['the key', rejection({ message: 'No web_search.' }, 401), false],
])('reads a rejected search if the service names %s', (_, error, isRejected) => {
  expect(isSearchRejected(error)).toBe(isRejected);
});
