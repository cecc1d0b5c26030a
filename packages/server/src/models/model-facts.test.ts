import { expect, it } from 'vitest';
import { readModelsFile } from './file/read-models-file.ts';
import { openModels } from '../serve/server-models.ts';

const KEYS = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_API_KEY: 'k' };

it('has the provider, the mode and the schema mode of each model', async () => {
  const models = await openModels([], KEYS);
  expect(models.list().map(models.facts)).toEqual([
    {
      provider: 'anthropic',
      isScripted: false,
      mode: 'native',
      dialect: 'anthropic',
      contextTokens: 200_000,
    },
    { provider: 'openai', isScripted: false, mode: 'tool', dialect: 'openai' },
    {
      provider: 'google',
      isScripted: false,
      mode: 'tool',
      dialect: 'gemini',
      contextTokens: 1_000_000,
    },
  ]);
});

it('reads a named model of a file by its provider, and its context', async () => {
  const file = `endpoints:
  claude: { provider: anthropic, model: claude-opus-4-1, api_key: k }
  qwen: { endpoint: "http://127.0.0.1:9/v1", model: qwen3, context_tokens: 16384 }
`;
  const models = await openModels(
    [],
    {},
    { entries: readModelsFile(file, 'models.yaml', { env: {}, isAllowed: false }) },
  );
  expect(models.facts('claude')).toMatchObject({ provider: 'anthropic', dialect: 'anthropic' });
  expect(models.facts('qwen')).toEqual({
    provider: 'openai-compatible',
    isScripted: false,
    mode: 'native',
    dialect: 'grammar',
    contextTokens: 16_384,
  });
});

it('knows the scripted model', async () => {
  const models = await openModels([], {});
  try {
    expect(models.facts('scripted:demo')).toMatchObject({ isScripted: true, mode: 'tool' });
  } finally {
    await models.close();
  }
});
