import { expect, it } from 'vitest';
import { classifyFailure } from './classify-failure.ts';
import { isSuspectSize } from './prompt-size.ts';

it.each([
  [400, 2_000, 1_000, 'context_full'],
  [422, 2_000, 1_000, 'context_full'],
  [400, 1_900, 1_000, 'config'],
  [400, 2_000, undefined, 'config'],
  [400, 16_384, undefined, 'context_full'],
  [401, 2_000, 1_000, 'auth'],
  [503, 2_000, 1_000, 'overloaded'],
])(
  'status %i of a prompt of %i bytes and a context of %s tokens is %s',
  (statusCode, bytes, context, kind) => {
    const prompt = 'x'.repeat(bytes - 2);
    expect(classifyFailure({ statusCode, isSuspectSize: isSuspectSize(prompt, context) }).kind).toBe(kind);
  },
);
