import { expectTypeOf, test } from 'vitest';
import type { components, operations } from './openapi-types.d.ts';

type Schemas = components['schemas'];
interface AnyObject {
  [key: string]: unknown;
}

test('arbitrary JSON is unknown or a record of it: never bytes, never nothing', () => {
  expectTypeOf<Schemas['DynamicTool']['input_schema']>().toEqualTypeOf<AnyObject>();
  expectTypeOf<Schemas['Chat']['settings']>().toEqualTypeOf<AnyObject>();
  expectTypeOf<Schemas['ToolResults']['results'][number]['output']>().toEqualTypeOf<unknown>();
  expectTypeOf<Schemas['Receipt']['value']>().toEqualTypeOf<unknown>();
  expectTypeOf<Extract<Schemas['MessagePart'], { type: 'tool_result' }>['result']>().toEqualTypeOf<unknown>();
  expectTypeOf<Extract<Schemas['ChatStreamEvent'], { type: 'partial' }>['value']>().toEqualTypeOf<unknown>();
  type Format = Extract<Schemas['ResponseFormat'], { type: 'json_schema' }>;
  expectTypeOf<Format['json_schema']['schema']>().toEqualTypeOf<AnyObject>();
  expectTypeOf<Schemas['ValidateFormat']['response_format']>().toEqualTypeOf<unknown>();
});

test('a refusal is a problem document, and an answer is not', () => {
  type Responses = operations['readRequest']['responses'];
  expectTypeOf<Responses[200]['content']['application/json']>().toEqualTypeOf<Schemas['Receipt']>();
  expectTypeOf<Responses['default']['content']['application/problem+json']>().toEqualTypeOf<
    Schemas['ProblemDocument']
  >();
});
