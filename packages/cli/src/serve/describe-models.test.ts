import { expect, it } from 'vitest';
import { openModels } from '@truecast/server/internal/serve/server-models';
import { describeModels } from './describe-models.ts';

const KEYS = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_API_KEY: 'k' };

it('prints which model the keys selected, and how to select another', async () => {
  expect(describeModels(await openModels([], KEYS))).toBe(
    'model: anthropic:claude-sonnet-5-5 (chosen from the API keys that are set; to change it, pass `--model provider:model` or set `models` in the configuration); also openai:gpt-6.1-sol, google:gemini-3.8-flash',
  );
});

it('prints no hint if a model was chosen', async () => {
  expect(describeModels(await openModels(['openai:gpt-6-luna'], KEYS))).toBe('model: openai:gpt-6-luna');
});

it('prints the address of a local model', async () => {
  const environment = { TRUECAST_BASE_URL: 'http://127.0.0.1:9/v1', TRUECAST_MODEL: 'tiny' };
  expect(describeModels(await openModels([], environment), environment)).toBe(
    'model: local:tiny at http://127.0.0.1:9/v1 (from TRUECAST_BASE_URL and TRUECAST_MODEL)',
  );
});

it('refuses an address with a password, and does not repeat it', async () => {
  // Node's `fetch` sends no request to such an address.
  const environment = { TRUECAST_BASE_URL: 'http://me:secret@127.0.0.1:9/v1', TRUECAST_MODEL: 'tiny' };
  const refused: unknown = await openModels([], environment).catch((error: unknown) => error);
  expect(refused).toHaveProperty('message', expect.stringContaining('without a user and a password'));
  expect(String(refused)).not.toContain('secret');
});
