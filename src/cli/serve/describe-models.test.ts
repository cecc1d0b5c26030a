import { expect, it } from 'vitest';
import { openModels } from '../../serve/server-models.ts';
import { describeModels } from './describe-models.ts';

const KEYS = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_API_KEY: 'k' };

it('says which model the keys chose, and how to choose another', async () => {
  expect(describeModels(await openModels([], KEYS))).toBe(
    'model: anthropic:claude-sonnet-5-5 (chosen by the keys that are set; another: `--model provider:model`, or `models` of the configuration); also openai:gpt-6.1-sol, google:gemini-3.8-flash',
  );
});

it('says nothing of choosing to whoever has chosen', async () => {
  expect(describeModels(await openModels(['openai:gpt-6-luna'], KEYS))).toBe('model: openai:gpt-6-luna');
});
