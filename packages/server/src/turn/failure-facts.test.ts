import { APICallError, JSONParseError, TypeValidationError } from 'ai';
import { expect, it } from 'vitest';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { unreachable } from '@truecast/model/internal/call/unreachable';
import { readModelFailure } from '../openai/answer/model-failure.ts';
import { classifyFailure } from './classify-failure.ts';
import { failureFacts } from './failure-facts.ts';

const URL = 'http://key.example/v1';

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

it.each(['ENOTFOUND', 'CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  'does not retry an address without a service: %s',
  (code) => {
    const error = unsent(code);
    expect(ModelError.isInstance(error) && error.message).toContain(`http://key.example`);
    expect(classifyFailure(failureFacts(error))).toEqual({ kind: 'connection', action: 'fail' });
    const { failure, isTransient, isRefusal } = readModelFailure(error, false);
    expect({ ...failure, isTransient, isRefusal }).toMatchObject({
      status: 424,
      code: 'model_unavailable',
      message: expect.stringMatching(/^No model's service can be reached at its address\./u),
      isTransient: false,
      isRefusal: false,
    });
    expect(failure.message).not.toContain('key.example');
  },
);

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
  const { failure, isTransient, isRefusal } = readModelFailure(error, false);
  expect({ ...failure, isTransient, isRefusal }).toMatchObject({
    status: 424,
    code: 'model_unavailable',
    message: expect.stringMatching(/^The model's service sent a reply of another format\./u),
    isTransient: false,
    isRefusal: false,
  });
});
