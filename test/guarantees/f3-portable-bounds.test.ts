/** Tests of F3: bounds that one of the tried engines refuses, drops, or dies of. */
import { expect } from 'vitest';
import { declareGuarantee } from './guarantee.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { sentRequest } from './sent-schemas.ts';

async function sendPortable(route: ModelRouteName): Promise<void> {
  const { properties, words } = await sentRequest(route);
  const { tags, note, step } = properties;
  expect(tags).toMatchObject({ type: 'array', maxItems: 3 });
  expect(tags).not.toHaveProperty('uniqueItems');
  expect(note).not.toHaveProperty('maxLength');
  expect(step?.['enum']).toEqual([0, 0.5, 1, 1.5, 2]);
  // The engine shows the schema to no model.
  expect(words).toMatch(/"note": string, \/\/ at most 3000 characters/u);
}

declareGuarantee('F3', {
  generate: () => sendPortable('generate'),
  chat: () => sendPortable('chat'),
  wire: () => sendPortable('wire'),
});
