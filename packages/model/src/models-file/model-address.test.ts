/** Addresses of models: with and without a name, and texts of other forms. */
import { expect, it } from 'vitest';
import { parseModelAddress, withoutPassword } from './model-address.ts';

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

it.each([
  ['http://ann:secret@localhost/v1#m', 'http://localhost/v1#m'],
  ['https://token@localhost/v1', 'https://localhost/v1'],
  ['http://ann:p@ss@localhost/v1', 'http://localhost/v1'],
  ['http://localhost/v1?mail=a@b', 'http://localhost/v1?mail=a@b'],
  ['http://localhost/v1#team@m', 'http://localhost/v1#team@m'],
])('shows %s without its user', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown);
});
