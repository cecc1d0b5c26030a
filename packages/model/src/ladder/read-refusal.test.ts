import { expect, it } from 'vitest';
import type { LadderStep } from './ladder.ts';
import { readRefusal } from './read-refusal.ts';

function failure(message: string, statusCode = 400, body: unknown = { error: { message } }): Error {
  return Object.assign(new Error(message), { statusCode, responseBody: JSON.stringify(body) });
}

const openAi = (param: string | null, message = '', code: string | null = null): Error =>
  failure(message, 400, { error: { message, type: 'invalid_request_error', param, code } });
const google = (field: string): Error =>
  failure('Invalid JSON payload received.', 400, {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'Invalid JSON payload received.',
      details: [{ fieldViolations: [{ field, description: 'Cannot find field.' }] }],
    },
  });

/** What is dropped, `schema`, `doubt`, or `other` for an error about something else. */
function told(error: Error, step: LadderStep): string {
  const refusal = readRefusal(error, step);
  if (refusal === undefined) return 'other';
  return refusal.type === 'step' ? refusal.drops.join(' ') : refusal.type;
}

const PYTHON =
  "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]";

it.each<[string, Error, LadderStep, string]>([
  ['a schema mode that the server has not', failure('json_schema is not supported'), 'schema', 'schema'],
  [
    'formats that the server has not',
    failure('response_format is not supported'),
    'schema',
    'schema object json',
  ],
  ['typed answers', failure('This model does not support structured output.'), 'schema', 'schema object'],
  ['a form that llama-cpp-python has not', failure(PYTHON, 500), 'schema', 'schema'],
  [
    'a JSON mode of LM Studio',
    failure("'response_format.type' must be 'json_schema' or 'text'"),
    'json',
    'json',
  ],
  ['tools', failure('gemma:2b does not support tools'), 'named', 'named required auto'],
  [
    'tools of llama.cpp',
    failure('tools param requires --jinja flag', 500),
    'required',
    'named required auto',
  ],
  [
    'a tool by its name',
    failure("Invalid tool_choice type: 'object'. Supported string values: none, auto"),
    'named',
    'named',
  ],
  [
    'the choice while thinking',
    failure('Thinking may not be enabled when tool_choice forces tool use.'),
    'required',
    'required',
  ],
  ['the choice, in any language', openAi('tool_choice', 'Nein.'), 'required', 'required'],
  [
    'tools by their field',
    openAi('tools', 'Nein.', 'unsupported_parameter'),
    'required',
    'named required auto',
  ],
])('drops the step for a refusal of %s', (_, error, step, expected) => {
  expect(told(error, step)).toBe(expected);
});

it.each<[string, Error, LadderStep]>([
  ['OpenAI', openAi('text.format.schema', 'Nein.', 'invalid_json_schema'), 'schema'],
  ['OpenAI in words', failure("Invalid schema for response_format 'answer': …"), 'schema'],
  ['Google by a field', google('generation_config.response_schema.properties[0]'), 'schema'],
  [
    'Google for its states',
    failure('The specified schema produces a constraint that has too many states for serving.'),
    'schema',
  ],
  [
    'Google for its depth',
    failure('A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.'),
    'schema',
  ],
  [
    'Google for a value',
    failure("Invalid value at 'generation_config.response_schema.properties[0].value' (TYPE_STRING), 60"),
    'schema',
  ],
  [
    'Anthropic',
    failure('The compiled grammar is too large, which would cause performance issues.'),
    'schema',
  ],
  ['llama.cpp', failure('Failed to initialize samplers: failed to parse grammar', 500), 'schema'],
  ['a schema about credit', failure('Invalid schema: `credit` has no type'), 'schema'],
  ['a tool', openAi(null, 'Invalid schema for function', 'invalid_function_parameters'), 'required'],
])('drops the step for this schema only after a refusal by %s', (_, error, step) => {
  expect(told(error, step)).toBe('schema');
});

it.each<[string, Error]>([
  ['a key', failure('Incorrect API key provided.')],
  ['a credit', failure('No credit.')],
  ['a quota', failure('You exceeded your current quota.')],
  ['a rate', failure('Rate limit reached for requests')],
  [
    'the window',
    failure("This model's maximum context length is 8192 tokens, but 500 are in the functions."),
  ],
  [
    'the window of llama.cpp',
    failure('x', 400, { error: { type: 'exceed_context_size_error', message: 'x' } }),
  ],
  ['a model', failure("model 'qwen3:8b' not found", 404)],
  ['a model by its schema name', failure('The model `schema-1` does not exist', 404)],
  ['an unknown path', failure('Not Found', 404)],
  ['another parameter', failure('Unknown parameter: logit_bias')],
  ['another field', openAi('temperature', 'Unsupported value: the tool response_format is not supported.')],
  ['a field of Google', google('contents[0].parts')],
  ['a picture', failure('This model cannot read images.')],
  ['memory', failure('CUDA out of memory.', 500)],
  ['an overload', failure('tool_choice', 503)],
  ['a rejected key', failure('response_format is not supported', 401)],
  ['a rate status', failure('response_format is not supported', 429)],
  ['a size', failure('The schema is too large', 413)],
])('is no refusal of a step if the error is about %s', (_, error) => {
  for (const step of ['schema', 'required', 'json'] as const) expect(told(error, step)).toBe('other');
});

it('doubts a refusal without a known reason, and never the text', () => {
  expect(told(failure('Das passt nicht.'), 'schema')).toBe('doubt');
  expect(told(failure('Internal Server Error', 500), 'schema')).toBe('doubt');
  expect(told(failure('Das passt nicht.'), 'text')).toBe('other');
});
