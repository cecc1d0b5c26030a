/** Tests of F3: bounds that one of the tried engines refuses, drops, or dies of. */
import { expect } from 'vitest';
import { declareGuarantee } from './guarantee.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { sentProperties } from './sent-schemas.ts';

async function sendPortable(route: ModelRouteName): Promise<void> {
  const { tags, note, step } = await sentProperties(route);
  expect(tags).toMatchObject({ type: 'array', maxItems: 3 });
  expect(tags).not.toHaveProperty('uniqueItems');
  expect(note).not.toHaveProperty('maxLength');
  expect(step?.['enum']).toEqual([0, 0.5, 1, 1.5, 2]);
}

declareGuarantee('F3', {
  generate: () => sendPortable('generate'),
  chat: () => sendPortable('chat'),
  wire: () => sendPortable('wire'),
});
