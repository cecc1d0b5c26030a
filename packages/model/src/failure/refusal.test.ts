/** Refusals of real services, each with the cause that it has. */
import { expect, it } from 'vitest';
import { refusalCause, codesIn } from './refusal.ts';

const json = (error: object): string => JSON.stringify({ error });

it.each([
  // OpenAI
  [401, json({ message: 'Incorrect API key provided: sk-x', code: 'invalid_api_key' }), 'key'],
  [404, json({ message: 'The model `nope` does not exist', code: 'model_not_found' }), 'unknown-model'],
  [403, json({ message: 'Project `p` does not have access', code: 'model_not_found' }), 'unknown-model'],
  [429, json({ message: 'Rate limit reached', code: 'rate_limit_exceeded' }), 'rate-limit'],
  [429, json({ message: 'You exceeded your current quota', code: 'insufficient_quota' }), 'quota'],
  [400, json({ message: 'too long', code: 'context_length_exceeded' }), 'context-full'],
  [400, json({ message: "Invalid 'temperature'", param: 'temperature' }), 'refused'],
  // Anthropic
  [404, json({ type: 'not_found_error', message: 'model: claude-nope' }), 'unknown-model'],
  [
    400,
    json({ type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' }),
    'context-full',
  ],
  [
    400,
    json({ type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' }),
    'quota',
  ],
  [529, json({ type: 'overloaded_error', message: 'Overloaded' }), 'overloaded'],
  [413, json({ type: 'request_too_large', message: 'Request exceeds the maximum size' }), 'request-size'],
  // Gemini
  [
    400,
    json({
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'API key not valid. Please pass a valid API key.',
    }),
    'key',
  ],
  [
    404,
    json({ code: 404, status: 'NOT_FOUND', message: 'models/nope is not found for API version v1beta' }),
    'unknown-model',
  ],
  [
    400,
    json({
      code: 400,
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    }),
    'context-full',
  ],
  // llama.cpp
  [503, json({ code: 503, message: 'Loading model', type: 'unavailable_error' }), 'loading'],
  [
    400,
    json({
      code: 400,
      message: 'the request exceeds the available context size',
      type: 'exceed_context_size_error',
    }),
    'context-full',
  ],
  [404, json({ code: 404, message: 'File Not Found', type: 'not_found_error' }), 'path'],
  // llama-cpp-python, vLLM, Ollama, LM Studio
  [
    400,
    json({
      message: "This model's maximum context length is 2048 tokens, however you requested 2100 tokens",
    }),
    'context-full',
  ],
  [
    404,
    JSON.stringify({ object: 'error', message: 'The model `nope` does not exist.', type: 'NotFoundError' }),
    'unknown-model',
  ],
  [404, JSON.stringify({ detail: 'Not Found' }), 'path'],
  [404, json({ message: 'model "nope" not found, try pulling it first' }), 'unknown-model'],
  [404, '404 page not found', 'path'],
  [404, json({ message: 'No models loaded. Please load a model' }), 'unknown-model'],
  // Others
  [402, json({ message: 'Payment required' }), 'quota'],
  [503, JSON.stringify({ error: 'Model org/name is currently loading', estimated_time: 20 }), 'loading'],
  [503, json({ message: 'Service Unavailable' }), 'overloaded'],
  [504, '<html>504 Gateway Time-out</html>', 'slow'],
  [413, '<html>413 Request Entity Too Large</html>', 'request-size'],
  [500, json({ message: 'CUDA error' }), 'service'],
  [404, json({ message: 'No endpoints found that support tool use.' }), 'refused'],
  [400, json({ message: "response_format 'json_schema' is not supported" }), 'refused'],
  [422, json({ message: 'This model does not support tools' }), 'refused'],
  [403, json({ message: 'Country not supported' }), 'access'],
])('status %i with %s is `%s`', (statusCode, text, cause) => {
  expect(refusalCause({ statusCode, codes: codesIn(text), text })).toBe(cause);
});

it('finds no cause in a success', () => {
  expect(refusalCause({ statusCode: 200, codes: [], text: 'Loading model' })).toBeUndefined();
  expect(refusalCause({ codes: [undefined], text: 'model not found' })).toBeUndefined();
});
