/** Tools of the client: one result for each call, also for a failed one. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeTools, runTools, tool, type ClientTools } from './client-tools.ts';

const { signal } = new AbortController();
const tools: ClientTools = {
  add: tool({
    description: 'Adds one.',
    inputSchema: z.object({ n: z.number().max(9), m: z.string().optional() }),
    execute: ({ n }, { toolCallId, signal: given }) => ({ sum: n + 1, toolCallId, isOurs: given === signal }),
  }),
  quiet: tool({ inputSchema: z.object({}), execute: () => undefined }),
  broken: tool({ inputSchema: z.object({}), execute: () => Promise.reject(new Error('no disk')) }),
  rude: tool({
    inputSchema: z.object({}),
    execute() {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- a caller's tool can throw anything
      throw 'a text';
    },
  }),
};
const call = (tool_name: string, args: string): Parameters<typeof runTools>[1][number] => ({
  tool_call_id: `id-${tool_name}`,
  tool_name,
  args,
});

it('describes each tool, with a description if it has one', () => {
  const [add, quiet] = describeTools(tools);
  expect(add).toMatchObject({ name: 'add', description: 'Adds one.', input_schema: { type: 'object' } });
  expect(quiet).toEqual({
    name: 'quiet',
    input_schema: expect.objectContaining({ type: 'object' }) as object,
  });
  expect(Object.keys(quiet ?? {})).toEqual(['name', 'input_schema']);
});

it.each<[string, string, object]>([
  ['add', '{"n":1}', { output: { sum: 2, toolCallId: 'id-add', isOurs: true } }],
  ['quiet', '{}', { output: null }],
  ['broken', '{}', { output: { error: 'no disk' }, is_error: true }],
  ['rude', '{}', { output: { error: 'a text' }, is_error: true }],
])('%s with %s has one result', async (name, args, result) => {
  expect(await runTools(tools, [call(name, args)], signal)).toEqual([
    { tool_call_id: `id-${name}`, ...result },
  ]);
});

it('a call with other arguments is answered with what is wrong, and does not run', async () => {
  const results = await runTools(tools, [call('add', '{'), call('add', '{"n":10,"m":1}')], signal);
  expect(results).toMatchObject([{ is_error: true }, { is_error: true }]);
  expect(JSON.stringify(results?.[0]?.output)).toContain('The arguments are not JSON: ');
  const said = JSON.stringify(results?.[1]?.output);
  expect(said).toContain('The arguments do not match the schema: ');
  expect(said).toMatch(/; /u);
});

it('keeps the order of the calls, and runs none if another client has one of the tools', async () => {
  const both = [call('quiet', '{}'), call('add', '{"n":1}')];
  expect((await runTools(tools, both, signal))?.map(({ tool_call_id }) => tool_call_id)).toEqual([
    'id-quiet',
    'id-add',
  ]);
  expect(await runTools(tools, [...both, call('toString', '{}')], signal)).toBeUndefined();
  expect(await runTools(tools, [], signal)).toEqual([]);
});

it('a stopped call has no result', async () => {
  const reason = new Error('stopped');
  await expect(runTools(tools, [call('broken', '{}')], AbortSignal.abort(reason))).rejects.toBe(reason);
});
