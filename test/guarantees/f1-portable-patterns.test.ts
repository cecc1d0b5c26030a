/** Tests of F1: patterns with shorthands, groups of other kinds and no anchors. */
import { expect } from 'vitest';
import { declareGuarantee } from './guarantee.ts';
import type { ModelRouteName } from './routes/model-routes.ts';
import { isPortable, sentProperties } from './sent-schemas.ts';

async function sendPortable(route: ModelRouteName): Promise<void> {
  const { day, code, short } = await sentProperties(route);
  for (const pattern of [day?.['pattern'], code?.['pattern'], short?.['pattern']]) {
    expect([pattern, isPortable(pattern)]).toEqual([pattern, true]);
  }
  const sent = new RegExp(String(code?.['pattern']), 'u');
  for (const right of ['123.a', 'no 123.a_b']) expect([right, sent.test(right)]).toEqual([right, true]);
  expect(new RegExp(String(short?.['pattern']), 'u').test('ef')).toBe(false);
}

declareGuarantee('F1', {
  generate: () => sendPortable('generate'),
  chat: () => sendPortable('chat'),
  wire: () => sendPortable('wire'),
});
