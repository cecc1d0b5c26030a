/** Custom tools: definitions for the model and facts for turns. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { tool } from './own-tool.ts';
import type { ToolContext } from './server-tool.ts';
import { toServerTools } from './to-server-tools.ts';

const context: ToolContext = {
  chatId: 'a',
  workspaceId: 'a',
  ownerId: 'anna',
  messageId: 2,
  toolCallId: 'call-1',
  signal: new AbortController().signal,
  whileWaiting: (wait) => wait(),
};

it.each([
  ['undefined, as null', undefined, null],
  ['a value', { a: [1, 'b', null] }, { a: [1, 'b', null] }],
])('returns %s', async (_what, returned, told) => {
  const tools = toServerTools({ look: { inputSchema: z.object({}), execute: () => returned } });
  expect(await tools[0]?.run({}, context)).toEqual({ result: told, isError: false });
});

it.each([1n, () => 1, new Map(), { when: new Date(0) }, Number.NaN])(
  'refuses %o as a result, which is not JSON',
  async (returned) => {
    const tools = toServerTools({ look: { inputSchema: z.object({}), execute: () => returned } });
    const failure: unknown = await tools[0]?.run({}, context).catch((error: unknown) => error);
    expect(UsageError.isInstance(failure) && failure.message).toContain('`look` to return JSON');
  },
);

it('passes the parsed input, and reports a root mismatch without a path', async () => {
  const inputSchema = z.object({ at: z.coerce.number() }).refine(({ at }) => at > 0, 'Must be above 0');
  const look = tool({ inputSchema, readOnlyHint: true, execute: ({ at }) => at + 1 });
  const [looking] = toServerTools({ look });
  expect(await looking?.run({ at: '1' }, context)).toEqual({ result: 2, isError: false });
  expect(await looking?.run({ at: 0 }, context)).toEqual({
    result: 'The arguments of look are invalid: Must be above 0',
    isError: true,
  });
  expect([looking?.readOnlyHint, looking?.definition.inputSchema]).toMatchObject([true, { type: 'object' }]);
});

it('refuses a trait that does not exist, with the name that is meant', () => {
  const look = { inputSchema: z.object({}), execute: () => 1, isReadOnly: true };
  expect(() => toServerTools({ look })).toThrow(
    'Expected only known options of the tool `look`, got `isReadOnly`. Did you mean `readOnlyHint`?',
  );
  const repeated = { inputSchema: z.object({}), execute: () => 1, isIdempotent: true };
  expect(() => tool(repeated)).toThrow('Did you mean `idempotentHint`?');
});
