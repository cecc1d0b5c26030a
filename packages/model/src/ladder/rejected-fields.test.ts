import { expect, it } from 'vitest';
import { namesFeature, readRejection, type RequestFeature } from './rejected-fields.ts';

function rejection(body: unknown, statusCode = 400): Error {
  return Object.assign(new Error('Bad request'), { statusCode, responseBody: JSON.stringify(body) });
}

const openAi = (param: string | null, message = '', code: string | null = null): Error =>
  rejection({ error: { message, type: 'invalid_request_error', param, code } });
const google = (...fields: string[]): Error =>
  rejection({
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'Invalid JSON payload received.',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: fields.map((field) => ({ field, description: 'Cannot find field.' })),
        },
      ],
    },
  });

it.each<[string, Error, readonly RequestFeature[]]>([
  ['the forced choice', openAi('tool_choice'), ['choice', 'tool']],
  ['a tool', openAi('tools[0].type', '', 'invalid_value'), ['tool']],
  ['a format of Chat Completions', openAi('response_format'), ['schema']],
  ['a format of Responses', openAi('text.format.schema', '', 'invalid_json_schema'), ['schema']],
  ['the verbosity', openAi('text.verbosity'), []],
  ['a schema at Google', google('generation_config.response_schema.properties[3].value'), ['schema']],
  ['a tool at Google', google('contents[0].parts', 'request.tools[0].function_declarations[0]'), ['tool']],
  ['messages that do not fit to a format', openAi('messages', '`response_format` needs `json`'), []],
  ['no field', openAi(null, 'tool_choice is not supported'), []],
  ['the text of a proxy', openAi('None'), []],
  ['no body', new Error('x'), []],
])('reads that a service rejects %s', (_, error, features) => {
  const all: readonly RequestFeature[] = ['choice', 'schema', 'tool'];
  const read = readRejection(error);
  expect(all.filter((feature) => namesFeature(read, feature))).toEqual(features);
});
