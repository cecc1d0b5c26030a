/** Tests of F2: a format that engines know and one that none knows. */
import { expect } from 'vitest';
import { declareGuarantee } from './guarantee.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { sentProperties } from './sent-schemas.ts';

async function sendAsPattern(route: ModelRouteName): Promise<void> {
  const properties = await sentProperties(route);
  for (const [name, schema] of Object.entries(properties)) {
    expect([name, 'format' in schema]).toEqual([name, false]);
  }
  const day = new RegExp(String(properties['day']?.['pattern']), 'u');
  expect(['2026-02-28', '2026-2-28', 'today'].map((text) => day.test(text))).toEqual([true, false, false]);
}

declareGuarantee('F2', {
  generate: () => sendAsPattern('generate'),
  chat: () => sendAsPattern('chat'),
  wire: () => sendAsPattern('wire'),
});
