import { expect, it } from 'vitest';
import { z } from 'zod';
import { schemaFailure } from './wire-schemas.ts';

const BODY = z.object({
  messages: z.array(z.object({ role: z.enum(['user', 'system']), content: z.string() })).min(1),
  temperature: z.number().max(2).nullish(),
});

it.each([
  [{ messages: [] }, 'messages', '`messages`: Must not be empty.'],
  [{ messages: 'Hi' }, 'messages', '`messages`: Is a string. Must be a JSON array.'],
  [{}, 'messages', '`messages`: Is missing. Must be a JSON array.'],
  [
    { messages: [{ role: 'bot', content: '' }] },
    'messages[0].role',
    '`messages[0].role`: Must be one of `user`, `system`.',
  ],
  [
    { messages: [{ role: 'user', content: 'x' }], temperature: 3 },
    'temperature',
    '`temperature`: Must be at most 2.',
  ],
])('%j is refused in the words of the other API', (body, param, message) => {
  const parsed = BODY.safeParse(body, { reportInput: true });
  if (parsed.success) throw new TypeError('It was accepted.');
  expect(schemaFailure(parsed.error)).toMatchObject({ param, message });
});
