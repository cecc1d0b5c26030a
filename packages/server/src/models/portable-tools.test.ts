/** Schemas that reach an engine for local models: only what its converter can read. */
import { expect, it } from 'vitest';
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import { openai } from '@ai-sdk/openai';
import { sentToolSchema } from '@truecast/model/internal/modes/answer-mode';
import { nativeForm } from './native-form.ts';

const local = openAICompatible({ baseURL: 'http://127.0.0.1:9/v1', model: 'local' });
const hosted = openai.chat('gpt-5');

const TOOL = {
  type: 'object',
  properties: { phone: { type: 'string', pattern: String.raw`^\+\d{4,12}$`, maxLength: 13 } },
  required: ['phone'],
};

it('the schema of a tool is printed for a server of unknown make, and unchanged for a known one', () => {
  expect(sentToolSchema(TOOL, local)).toEqual({
    ...TOOL,
    properties: { phone: { type: 'string', pattern: '^[+][0-9]{4,12}$' } },
  });
  expect(sentToolSchema(TOOL, hosted)).toBe(TOOL);
});

it('an answer has the same lengths as with generate()', () => {
  const text = { type: 'string', minLength: 1, maxLength: 40 };
  const schema = { type: 'object', properties: { title: text }, required: ['title'] };
  expect(nativeForm(schema, local).schema).toMatchObject({ properties: { title: text } });
  expect(nativeForm(schema, hosted).schema).not.toHaveProperty('properties.title.maxLength');
});

it('a schema that the dialect cannot express is sent without what a converter cannot read', () => {
  const schema = { ...TOOL, properties: { ...TOOL.properties, 'a"b': { type: 'string' } } };
  expect(JSON.stringify(nativeForm(schema, local).schema)).not.toContain(String.raw`\\d`);
});
