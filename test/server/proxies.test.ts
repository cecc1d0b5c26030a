/** Each route behind a company's proxy, without any switch: only the proxy can resolve the services' names. */
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { testMcpHttpServer } from '../../packages/server/src/tools/test-mcp-server.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { bundledHost } from '../bundled-host.ts';
import { companyProxy, LOGIN } from './company-proxy.ts';

const HOST = await bundledHost(new URL('proxied-host.ts', import.meta.url));
const ENSEMBLES = join(import.meta.dirname, '../../packages/ensemble/ensembles');

const PROTOCOLS = ['https', 'http'] as const;
/** What each route gets with each protocol. */
const ANSWERS = {
  library: { count: 4 },
  chats: [{ count: 4 }, '{"count":4}'],
  ensemble: true,
  identity: 'RequestRefusedError',
  egress: ['200 true', '200 true', '403 true', '200'],
};

const portOf = (url: string): number => Number(new URL(url).port);

let asked: { readonly answers: Readonly<Record<string, unknown>>; readonly output: string };
let seen: readonly string[];

// One process for both protocols: its start takes longer than its requests.
beforeAll(async () => {
  await using model = await scriptedModelServer({
    script: ({ tools, lastToolResult }) => {
      const names = tools.map(({ name }) => name);
      if (names.includes('shout') && lastToolResult === undefined) return reply.tool('shout', { text: 'hi' });
      if (names.includes(FINALIZER_NAME)) return reply.tool(FINALIZER_NAME, { output: { count: 4 } });
      return reply.text('{"count":4}');
    },
  });
  await using mcp = await testMcpHttpServer();
  await using proxy = await companyProxy({ ports: { model: portOf(model.url), mcp: portOf(mcp.url) } });
  const { stdout, stderr } = await execa(process.execPath, [HOST, ENSEMBLES, ...PROTOCOLS], {
    env: { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: proxy.certificate },
  });
  const answers = z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
  asked = { answers, output: `${stdout}${stderr}` };
  seen = [...proxy.seen];
});

it.each(PROTOCOLS)('every route uses the proxy for %s', (protocol) => {
  expect(asked.answers[protocol]).toEqual(ANSWERS);
  expect(asked.output).not.toContain(LOGIN.password);
  const hosts = ['model-generate', 'model-chat', 'mcp', 'model-ensemble', 'model-sandbox'];
  for (const host of hosts) {
    const pattern =
      protocol === 'https' ? `CONNECT ${host}.service.test:443` : ` http://${host}.service.test`;
    expect(seen.filter((line) => line.endsWith(pattern)).length, host).toBeGreaterThan(0);
  }
  // The same route for both protocols, which keeps its connection.
  expect(seen).toContain('CONNECT model-keys.service.test:443');
  // For each protocol once.
  const times = (line: string): number => seen.filter((each) => each === line).length;
  expect(times('GET http://model-allowed.service.test')).toBe(PROTOCOLS.length);
  expect(times('CONNECT model-allowed.service.test:443')).toBe(PROTOCOLS.length);
  // The program's own server, and the model's other name, which NO_PROXY or this machine excludes.
  expect(seen.filter((line) => /127\.0\.0\.1|other/u.test(line))).toEqual([]);
});
