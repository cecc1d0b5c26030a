import { expect, it } from 'vitest';
import { unknownModel } from './unknown-model.ts';

it.each([
  [
    'gpt',
    ['scripted:demo'],
    'This server does not have the model. It has `scripted:demo`. `GET /api/models` lists them.',
  ],
  [
    'local:qwen3:8c',
    ['local:qwen3:8b', 'scripted:demo'],
    'This server does not have the model. It has `local:qwen3:8b`, `scripted:demo`. Did you mean `local:qwen3:8b`?',
  ],
])('names the models for %s', (id, known, message) => {
  expect(unknownModel(id, known, '/api/models')).toBe(message);
});

it('counts the models after the eighth, and repeats no name', () => {
  const known = Array.from({ length: 10 }, (_, index) => `x:${index}`);
  const message = unknownModel('y'.repeat(5_000), known, '/v1/models');
  expect(message).toContain('`x:7` and 2 more. `GET /v1/models` lists them.');
  expect(message).not.toContain('yy');
});
