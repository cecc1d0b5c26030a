/** Addresses of models: with and without a name, and texts of other forms. */
import { expect, it } from 'vitest';
import { parseModelAddress } from './model-address.ts';

it.each([
  ['http://localhost:11434/v1', { url: 'http://localhost:11434/v1' }],
  ['http://localhost:11434/v1/', { url: 'http://localhost:11434/v1' }],
  ['http://localhost:11434/v1#', { url: 'http://localhost:11434/v1' }],
  ['https://models.example/v1#qwen3:8b', { url: 'https://models.example/v1', model: 'qwen3:8b' }],
  ['https://models.example/v1/#team/a#b', { url: 'https://models.example/v1', model: 'team/a#b' }],
])('parses %s', (text, address) => {
  expect(parseModelAddress(text)).toEqual(address);
});

it.each([
  '',
  '#m',
  'qwen3:8b',
  'local:qwen3:8b',
  'localhost:11434/v1#m',
  'http://',
  'http://#m',
  'ftp://a/v1',
])('returns undefined for `%s`', (text) => {
  expect(parseModelAddress(text)).toBeUndefined();
});
