import { APICallError, JSONParseError, StreamProviderError, TypeValidationError } from 'ai';
import { describe, expect, it } from 'vitest';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { unreachable } from '@truecast/model/internal/failure/unreachable';
import { readModelFailure } from '../openai/answer/model-failure.ts';
import { classifyFailure } from './classify-failure.ts';
import { askedMs, failureFacts } from './failure-facts.ts';

const URL = 'http://key.example/v1';
const CALL = { isSuspectSize: false, asked: { model: 'm' }, calls: 1 };

/** As the SDK throws it for a request without a response. */
function unsent(code: string): unknown {
  const cause = Object.assign(new Error('x'), { code });
  return unreachable(
    new APICallError({ message: 'x', url: URL, requestBodyValues: {}, cause, isRetryable: true }),
  );
}

it.each(['ECONNREFUSED', 'EAI_AGAIN', 'ETIMEDOUT'])('retries a service that can come back: %s', (code) => {
  expect(classifyFailure(failureFacts(unsent(code)))).toEqual({ kind: 'connection', action: 'retry' });
});

const UNKNOWN_HOST = /^The host of the model's service cannot be found\. Correct its address/u;
const NOT_SECURE = /^No secure connection to the model's service is possible\. Check its certificate/u;

it.each([
  ['ENOTFOUND', UNKNOWN_HOST],
  ['CERT_HAS_EXPIRED', NOT_SECURE],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NOT_SECURE],
  ['ERR_TLS_CERT_ALTNAME_INVALID', NOT_SECURE],
  ['unknown scheme', /^No request can be sent to the address of the model's service\./u],
  ['HPE_INVALID_CONSTANT', /does not speak HTTP\. Correct the port/u],
])('does not retry an address without a service, and names the cause: %s', (code, message) => {
  const error = unsent(code);
  expect(ModelError.isInstance(error) && error.message).toContain(`http://key.example`);
  expect(classifyFailure(failureFacts(error))).toEqual({ kind: 'connection', action: 'fail' });
  const { failure, isTransient, isRefusal } = readModelFailure(error, CALL);
  expect({ ...failure, isTransient, isRefusal }).toMatchObject({
    status: 424,
    code: 'model_unavailable',
    message: expect.stringMatching(message),
    isTransient: false,
    isRefusal: false,
  });
  expect(failure.message).not.toContain('key.example');
});

const INVALID = new TypeValidationError({ value: { choices: 1 }, cause: new Error('dump of a validator') });

it.each([
  ['a chunk of another format', INVALID],
  ['no JSON', new JSONParseError({ text: 'x', cause: new Error('x') })],
  [
    'a reply of another format',
    new APICallError({
      message: 'Invalid JSON response',
      url: URL,
      requestBodyValues: {},
      statusCode: 200,
      cause: INVALID,
    }),
  ],
])('tells %s as a reply of another format, never as a rejected request', (_name, error) => {
  const { failure, isTransient, isRefusal } = readModelFailure(error, CALL);
  expect({ ...failure, isTransient, isRefusal }).toMatchObject({
    status: 424,
    code: 'model_unavailable',
    message: expect.stringMatching(/^The model's service sent a reply of another format\./u),
    isTransient: false,
    isRefusal: false,
  });
});

it.each([
  [
    {},
    'server retry',
    /^The model's service ended its answer with an error\. Try again later\. It said: Out of memory\.$/u,
  ],
  [
    { code: 'context_length_exceeded' },
    'context_full compact',
    /^The conversation is too long for the model\./u,
  ],
  [{ type: 'overloaded_error' }, 'overloaded retry', /^The model's service is overloaded\./u],
  [{ statusCode: 503 }, 'overloaded retry', /^The model's service is overloaded\./u],
])('an error event in a stream with %j is never a rejected request', (facts, expected, says) => {
  const error = new StreamProviderError({ message: 'Out of memory.', ...facts });
  const { kind, action } = classifyFailure(failureFacts(error));
  expect(`${kind} ${action}`).toBe(expected);
  expect(readModelFailure(error, CALL).failure.message).toMatch(says);
});

it('names an unknown model with the known ones, and counts calls', () => {
  const refused = (statusCode: number, message: string): APICallError =>
    new APICallError({ message, url: URL, requestBodyValues: {}, statusCode, responseBody: message });
  const asked = { model: 'nope', known: ['nopes', 'other'] };
  const missing = readModelFailure(refused(404, "model 'nope' not found"), { ...CALL, asked });
  expect(missing).toMatchObject({ isTransient: false, isRefusal: false });
  expect(missing.failure.message).toBe(
    "The model's service does not have the model `nope`. It has `nopes`, `other`. Did you mean `nopes`?",
  );
  const busy = readModelFailure(refused(503, 'Busy'), { ...CALL, calls: 3 });
  expect(busy.failure.message).toMatch(/^The model's service is overloaded\..* Called 3 times\.$/u);
});

describe('a failed call', () => {
  const failed = (facts: object): Error => Object.assign(new Error('x'), { name: 'AI_APICallError' }, facts);

  it.each<[string, unknown, unknown]>([
    [
      'the status and the code of its body',
      { statusCode: 400, responseBody: '{"error":{"code":"c1"}}' },
      { statusCode: 400, refusal: 'refused', errorCode: 'c1' },
    ],
    [
      'the type, if the code is a number',
      { statusCode: 400, responseBody: '{"error":{"code":7,"type":"t1"}}' },
      { statusCode: 400, refusal: 'refused', errorCode: 't1' },
    ],
    [
      'no code of a body that is no text',
      { statusCode: 400, responseBody: { error: { code: 'c1' } } },
      { statusCode: 400, refusal: 'refused' },
    ],
    ['no code of its own members', { statusCode: 400, code: 'own' }, { statusCode: 400, refusal: 'refused' }],
    ['a lost connection without a status', { statusCode: '400' }, { cause: 'connection' }],
  ])('tells %s', (_name, facts, expected) => {
    expect(failureFacts(failed(facts as object))).toEqual(expected);
  });

  it.each<[string, unknown, unknown]>([
    ['of retries', Object.assign(new Error('x'), { name: 'AI_RetryError' }), { cause: 'connection' }],
    ['that can be retried', { isRetryable: true }, { cause: 'connection' }],
    ['that cannot', { isRetryable: 'true' }, {}],
    ['of another name', new Error('x'), {}],
    ['that is no object', 'AI_APICallError', {}],
    ['that is null', null, {}],
  ])('is a connection without a status only for an error of the SDK: one %s', (_name, error, expected) => {
    expect(failureFacts(error)).toEqual(expected);
  });

  it('of an error event tells its code and the cause', () => {
    const error = new StreamProviderError({ message: 'x', code: 'c1', type: 't1' });
    expect(failureFacts(error)).toEqual({ cause: 'told', errorCode: 'c1' });
  });

  it.each([
    [399, { cause: 'unreadable' }],
    [400, { statusCode: 400, refusal: 'refused' }],
  ])('of an unreadable reply with the status %i', (statusCode, expected) => {
    expect(failureFacts(failed({ statusCode, cause: INVALID }))).toEqual(expected);
  });
});

describe('the delay that a service asks for', () => {
  const asked = (responseHeaders: unknown): number | undefined =>
    askedMs({ responseHeaders }, Date.parse('2030-01-01T00:00:00Z'), Date.parse);

  it.each<[string, unknown, number | undefined]>([
    ['in seconds', { 'Retry-After': '7' }, 7_000],
    ['in seconds with a fraction and space around it', { 'retry-after': ' 1.25 ' }, 1_250],
    ['in milliseconds, which count more', { 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    ['as a date', { 'retry-after': 'Tue, 01 Jan 2030 00:00:09 GMT' }, 9_000],
    ['as a date in the past', { 'retry-after': 'Mon, 31 Dec 2029 23:00:00 GMT' }, 0],
    ['not at all', {}, undefined],
    ['as an empty text', { 'retry-after': ' ' }, undefined],
    ['as other words', { 'retry-after': 'later' }, undefined],
    ['as a number, which no header is', { 'retry-after': 7 }, undefined],
    ['without headers', null, undefined],
    ['with headers as text', 'retry-after: 7', undefined],
  ])('is read %s', (_name, headers, expected) => {
    expect(asked(headers)).toBe(expected);
  });
});
