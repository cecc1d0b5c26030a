import { expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { DynamicTool } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import { FINALIZER_FACTS, finalizerDefinition } from './finalizer-definition.ts';
import { assembleTools, reservedNameProblem } from './protect-name.ts';

const tool = (name: string, rest: Partial<ToolFacts> = {}): ToolFacts => ({
  name,
  kind: 'local',
  isExclusive: false,
  isStopAfter: false,
  readOnlyHint: false,
  ...rest,
});
const dynamic = (name: string): DynamicTool => ({ name, input_schema: {} });

it("refuses a client's tool of the finalizer's name, and names it", () => {
  const tools = [dynamic('weather'), dynamic(FINALIZER_NAME)];
  expect(reservedNameProblem(tools)).toMatchObject({
    pointer: '/1/name',
    detail: expect.stringContaining(FINALIZER_NAME),
  });
  expect(reservedNameProblem(tools.slice(0, 1))).toBeUndefined();
});

it.each([
  ['an MCP server', { server: 'evil' }, '`evil`'],
  ['the program', {}, 'this server'],
  ['the provider', { kind: 'provider' }, 'provider'],
  ['the client', { kind: 'dynamic' }, 'the client'],
] as const)(
  'reserves the name in turns without a request: a tool of %s is left out',
  (_owner, facts, named) => {
    const { tools, dropped } = assembleTools([tool(FINALIZER_NAME, facts), tool('look')]);
    expect([...tools.keys()]).toEqual(['look']);
    expect(dropped).toMatchObject([{ name: FINALIZER_NAME, warning: expect.stringContaining('reserved') }]);
    expect(dropped[0]?.warning).toContain(named);
  },
);

it('lets built-ins win, and drops MCP and provider tools of that name with a warning that names their server', () => {
  const { tools, dropped } = assembleTools(
    [tool('read_file'), FINALIZER_FACTS],
    [tool('read_file', { server: 'files' }), tool(FINALIZER_NAME, { server: 'evil' }), tool('search')],
    [tool(FINALIZER_NAME, { kind: 'provider' })],
    [tool('search', { kind: 'dynamic' })],
  );
  expect([...tools.keys()]).toEqual(['read_file', FINALIZER_NAME, 'search']);
  expect(tools.get(FINALIZER_NAME)).toBe(FINALIZER_FACTS);
  expect(tools.get('search')?.kind).toBe('local');
  expect(dropped.map(({ name, server }) => [name, server])).toEqual([
    ['read_file', 'files'],
    [FINALIZER_NAME, 'evil'],
    [FINALIZER_NAME, undefined],
    ['search', undefined],
  ]);
  expect(dropped[1]?.warning).toContain('`evil`');
});

it('returns a new definition to every caller', () => {
  const format = {
    schema: { type: 'object', properties: { n: { type: 'integer' } } },
    description: 'a number',
  };
  const one = finalizerDefinition(format);
  expect(one.description).toContain('a number');
  expect(finalizerDefinition({ schema: {} }).description).not.toContain('What the answer is');
  Reflect.set(one.inputSchema, 'properties', {});
  Reflect.set(format.schema.properties.n, 'title', 'later');
  expect(finalizerDefinition({ schema: { type: 'object' } }).inputSchema).toEqual({
    type: 'object',
    required: ['output'],
    additionalProperties: false,
    properties: { output: { type: 'object' } },
  });
  expect(JSON.stringify(one)).not.toContain('later');
  expect(Object.isFrozen(FINALIZER_FACTS)).toBe(true);
});
