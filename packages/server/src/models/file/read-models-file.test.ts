import { expect, it } from 'vitest';
import { readModelsFile } from './read-models-file.ts';

const FILE = `endpoints:
  qwen:
    endpoint: \${HOST}/v1
    model: qwen3:8b
    context_tokens: 32768
    max_tokens: 4096
    fallbacks: [strong]
profiles:
  strong:
    provider: anthropic
    model: claude-opus-5-5
    api_key: $KEY
    thinking: high
    prices: { input_usd_per_million: 5, output_usd_per_million: 25 }
`;

const NOTHING = { env: {}, isAllowed: false };

it('reads models in order, endpoints first, with variables expanded', () => {
  const entries = readModelsFile(FILE, 'models.yaml', {
    env: { HOST: 'http://localhost:11434', KEY: 'k1' },
    isAllowed: true,
  });
  expect([...entries.keys()]).toEqual(['qwen', 'strong']);
  expect(entries.get('qwen')).toMatchObject({ endpoint: 'http://localhost:11434/v1', max_tokens: 4096 });
  expect(entries.get('strong')).toMatchObject({ api_key: 'k1', thinking: 'high' });
});

it('has no model if it is offline', () => {
  expect(readModelsFile('offline: true', 'models.yaml', NOTHING).size).toBe(0);
});

const qwen = (fields: string): string => `endpoints:\n  qwen: { model: m, endpoint: http://a/v1, ${fields} }`;

it.each([
  [FILE, 'models.yaml:3:15: The environment variable `HOST` is not set.'],
  ['endpoints: [', 'Flow sequence'],
  ['profiles: {}', 'No model is defined'],
  ['', 'Expected `the file` to be a mapping'],
  ['endpoints:\n  qwen: { model: m }', '`endpoint` is missing'],
  [qwen('modle: m'), '`modle` is not a key of `endpoints.qwen`. Known: provider, endpoint'],
  [qwen('max_tokens: 0'), 'Expected `endpoints.qwen.max_tokens` to be a whole number of 1 or more'],
  [qwen('context_tokens: 4096, max_tokens: 4096'), '`max_tokens` must be at most half'],
  [qwen('fallbacks: [gone]'), 'The fallback `gone` is not another model of this file'],
  [qwen('fallbacks: [qwen]'), 'The fallback `qwen` is not another model of this file'],
  [qwen('provider: openai, body: { a: 1 }'), '`body` is only for `openai-compatible`'],
  ['endpoints:\n  agent/x: { model: m, endpoint: http://a/v1 }', '`agent/x` is not a valid model name'],
  [
    'endpoints:\n  fast: { model: m, endpoint: http://a/v1 }\nprofiles:\n  fast: { model: m, endpoint: http://a/v1 }',
    'have the same name',
  ],
])('refuses %j with the place and the next thing to do', (text, problem) => {
  expect(() => readModelsFile(text, 'models.yaml', { env: {}, isAllowed: true })).toThrow(problem);
});
