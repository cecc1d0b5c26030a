import { afterAll, describe, expect, it } from 'vitest';
import { bundledHost } from '../../../../test/bundled-host.ts';
import { mcpServers, type McpServerConfig, type McpServers, type McpServersOptions } from './mcp-servers.ts';
import type { ObservedStderr } from '../contract/observed-work.ts';
import type { ServerTool } from './server-tool.ts';
import { context } from './test-context.ts';
import { testMcpHttpServer } from './test-mcp-server.ts';

const program = await bundledHost(new URL('test-mcp-server.ts', import.meta.url));
/** A server's program gets few variables. With this one it starts faster. */
const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
const overStdio: McpServerConfig = { name: 'voices', command: process.execPath, args: [program], env };
/** On a busy machine a program needs more than 5 seconds to start. */
const open = (configs: readonly McpServerConfig[], options: McpServersOptions = {}): McpServers =>
  mcpServers(configs, { connectTimeoutMs: 60_000, ...options });
/** One program for the tests that only call it. */
const shared = open([overStdio]);
afterAll(() => shared.close());

async function toolOf(servers: McpServers, name: string): Promise<ServerTool> {
  const { tools } = await servers.tools();
  const tool = tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new TypeError(`no tool ${name}`);
  return tool;
}

describe.each(['stdio', 'http'])('an MCP server over %s', (wire) => {
  it('lists its tools, with their server, and answers their calls', async () => {
    await using http = await testMcpHttpServer();
    const servers = wire === 'stdio' ? shared : open([{ name: 'voices', url: http.url }]);
    try {
      const shout = await toolOf(servers, 'shout');
      expect(shout).toMatchObject({ server: 'voices', readOnlyHint: true, idempotentHint: true });
      expect(await shout.run({ text: 'hey' }, context)).toEqual({ result: 'HEY', isError: false });
      const fail = await toolOf(servers, 'fail');
      expect(fail).toMatchObject({ readOnlyHint: false, idempotentHint: false });
      expect(await fail.run({ text: 'no' }, context)).toEqual({ result: 'NO', isError: true });
      const trace = await toolOf(servers, 'trace');
      const traced = await trace.run({}, { ...context, traceparent: '00-A-B-01', tracestate: 'a=1' });
      const draw = await toolOf(servers, 'draw');
      expect((await draw.run({}, context)).result).toBe(
        [
          'A line.',
          '[image: image/png of 3000 bytes, which is left out]',
          'of a file',
          '[file:///b: file of 3 bytes, which is left out]',
          '[c: file:///c]',
        ].join('\n'),
      );
      expect(traced).toEqual({ result: '00-A-B-01 A=1', isError: false });
    } finally {
      if (servers !== shared) await servers.close();
    }
  });
});

it('a server with owners has a connection for each, and no tools for other owners', async () => {
  await using http = await testMcpHttpServer();
  const servers = open([
    {
      name: 'http',
      url: http.url,
      headers: { 'x-key': 'shared' },
      owners: { anna: { headers: { 'x-key': 'of anna' } }, bert: {} },
    },
    { ...overStdio, env: { TEST_SECRET: 'shared' }, owners: { carl: { env: { TEST_SECRET: 'of carl' } } } },
  ]);
  const keyOf = async (owner: string): Promise<unknown> => {
    const { tools } = await servers.tools(owner);
    const whoami = tools.filter(({ definition }) => definition.name === 'whoami');
    return Promise.all(whoami.map(async (tool) => (await tool.run({}, context)).result));
  };
  try {
    expect(await keyOf('anna')).toEqual(['of anna']);
    expect(await keyOf('bert')).toEqual(['shared']);
    expect(await keyOf('carl')).toEqual(['of carl']);
    expect(await keyOf('dora')).toEqual([]);
    expect((await servers.tools()).tools).toEqual([]);
  } finally {
    await servers.close();
  }
});

it('a call with an idempotent hint is repeatable only if the server is trusted with it', async () => {
  const trusted = open([{ ...overStdio, trustsIdempotentHint: true }]);
  try {
    const tools = await Promise.all([trusted, shared].map((server) => toolOf(server, 'fail')));
    expect(tools.map(({ idempotentHint }) => idempotentHint)).toEqual([true, false]);
  } finally {
    await trusted.close();
  }
});

it('a result that does not fit the tool’s output schema is rejected', async () => {
  const count = await toolOf(shared, 'count');
  expect(await count.run({ text: 'hey' }, context)).toEqual({ result: { length: 3 }, isError: false });
  await expect(count.run({ text: 'wrong' }, context)).rejects.toThrow('output schema');
});

it('a server that died is started again for the next turn', async () => {
  const servers = open([overStdio]);
  try {
    const exit = await toolOf(servers, 'exit');
    await expect(exit.run({}, context)).rejects.toThrow(/closed/iu);
    const shout = await toolOf(servers, 'shout');
    expect(await shout.run({ text: 'again' }, context)).toEqual({ result: 'AGAIN', isError: false });
  } finally {
    await servers.close();
  }
});

it('an unreachable server is reported by name, and the others work', async () => {
  const servers = open([
    { name: 'gone', command: '/nowhere/at/all' },
    { name: 'closed', url: 'http://127.0.0.1:9/mcp' },
    overStdio,
  ]);
  try {
    const { tools, problems } = await servers.tools();
    expect(tools.map(({ definition }) => definition.name)).toContain('shout');
    expect(problems).toEqual([expect.stringContaining('`gone`'), expect.stringContaining('`closed`')]);
  } finally {
    await servers.close();
  }
});

it.each([
  ['endless', 'more than 100 pages'],
  ['circle', 'the same page of tools again'],
  ['many', 'more than 1000 tools'],
])('a server that lists %s offers nothing, and the problem states why', async (listing, expected) => {
  const servers = open([{ name: 'hostile', command: process.execPath, args: [program, listing] }]);
  try {
    const { tools, problems } = await servers.tools();
    expect(tools).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(expected)]);
  } finally {
    await servers.close();
  }
});

it('tools with invalid names are left out, and the problems name them without escapes', async () => {
  const servers = open([{ name: 'hostile', command: process.execPath, args: [program, 'names'] }]);
  try {
    const { tools, problems } = await servers.tools();
    expect(tools.map(({ definition }) => definition.name)).toEqual(['fine']);
    expect(problems).toHaveLength(6);
    expect(problems.join('')).toContain('__proto__');
    expect(problems.join('')).not.toContain('\u001B');
  } finally {
    await servers.close();
  }
});

it('stderr of a server reaches the log, and its end the problem of a server that died at its start', async () => {
  const lines: ObservedStderr[] = [];
  const env = { TEST_SECRET: 'opensesame' };
  const servers = open([{ name: 'dying', command: process.execPath, args: [program, 'dies'], env }], {
    mask: (text) => text.replaceAll('opensesame', '***'),
    onStderr: (line) => lines.push(line),
  });
  try {
    const { tools, problems } = await servers.tools();
    expect(tools).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(
        /^The MCP server `dying` has no tools now: .*\nThe end of its stderr:\nStarted with \*\*\*\nListening$/u,
      ),
    ]);
    expect(lines).toEqual([
      { server: 'dying', level: 'debug', text: 'Started with ***' },
      { server: 'dying', level: 'debug', text: 'Listening' },
    ]);
  } finally {
    await servers.close();
  }
});
