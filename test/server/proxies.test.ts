/** Each route behind a company's proxy, without any switch: only the proxy can resolve the services' names. */
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { testMcpHttpServer } from '../../packages/server/src/tools/test-mcp-server.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { bundledHost } from '../bundled-host.ts';
import { companyProxy, LOGIN } from './company-proxy.ts';

const HOST = await bundledHost(new URL('proxied-host.ts', import.meta.url));
const ENSEMBLES = join(import.meta.dirname, '../../packages/ensemble/ensembles');

const portOf = (url: string): number => Number(new URL(url).port);

it.each(['https', 'http'])('every route uses the proxy for %s', { timeout: 240_000 }, async (protocol) => {
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
  const { stdout, stderr } = await execa(process.execPath, [HOST, protocol, ENSEMBLES], {
    env: { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: proxy.certificate },
  });
  expect(JSON.parse(stdout)).toEqual({
    library: { count: 4 },
    chats: [{ count: 4 }, '{"count":4}'],
    ensemble: true,
    identity: 'RequestRefusedError',
    egress: ['200 true', '200 true', '403 true', '200'],
  });
  expect(`${stdout}${stderr}`).not.toContain(LOGIN.password);
  const hosts = ['model-generate', 'model-chat', 'mcp', 'model-ensemble', 'model-sandbox'];
  for (const host of hosts) {
    const pattern =
      protocol === 'https' ? `CONNECT ${host}.service.test:443` : ` http://${host}.service.test`;
    expect(proxy.seen.filter((line) => line.endsWith(pattern)).length, host).toBeGreaterThan(0);
  }
  expect(proxy.seen).toContain('CONNECT model-keys.service.test:443');
  expect(proxy.seen).toContain('GET http://model-allowed.service.test');
  expect(proxy.seen).toContain('CONNECT model-allowed.service.test:443');
  // The program's own server, and the model's other name, which NO_PROXY or this machine excludes.
  expect(proxy.seen.filter((line) => /127\.0\.0\.1|other/u.test(line))).toEqual([]);
});
