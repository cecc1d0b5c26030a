/** Dashboard and alerts: their queries run on a real Prometheus that scrapes a real server. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { createChatServer, type ChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { tool } from '../../packages/server/src/tools/own-tool.ts';
import { describeUnless, missing } from '../needs.ts';

const OPERATIONS = fileURLToPath(new URL('../../docs/operations/', import.meta.url));
const SCRAPE_MS = 250;

const dashboardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});
const dashboard = dashboardSchema.parse(JSON.parse(readFileSync(join(OPERATIONS, 'dashboard.json'), 'utf8')));
const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m')] as const),
);
const rulesSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});
const alerts = rulesSchema
  .parse(parse(readFileSync(join(OPERATIONS, 'alerts.yaml'), 'utf8')))
  .groups.flatMap(({ rules }) => rules);

const resultSchema = z.object({ status: z.literal('success'), data: z.unknown() });
const MESSAGE = [{ role: 'user', content: 'Hi' }];
const response_format = {
  type: 'json_schema',
  json_schema: { name: 'answer', schema: { type: 'object', properties: { n: { type: 'integer' } } } },
};

async function freePort(): Promise<number> {
  const listener = createTcpServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describeUnless(missing('prometheus'), 'the dashboard and the alerts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-prometheus-'));
  let model: ScriptedModelServer;
  let server: ChatServer;
  let token: string;
  let prometheus: ChildProcess | undefined;
  let url: string;

  beforeAll(async () => {
    model = await scriptedModelServer({ script: answerTo });
    const models = join(folder, 'models.yaml');
    const prices = '{ input_usd_per_million: 3, output_usd_per_million: 15 }';
    writeFileSync(
      models,
      `endpoints:\n  qwen: { endpoint: "${model.openaiUrl}", model: qwen, prices: ${prices} }\n`,
    );
    const works = tool({ description: 'Works.', inputSchema: z.object({}), execute: () => 'Done.' });
    server = await createChatServer({
      port: 0,
      databaseUrl: ':memory:',
      environment: {},
      modelsFile: models,
      tools: { works },
    });
    ({ token } = await server.createToken({ name: 'test', scopes: ['chats', 'metrics'] }));
    await doWork();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    await startPrometheus(port);
  });
  afterAll(async () => {
    if (prometheus?.kill() === true) await once(prometheus, 'exit');
    await server.close();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Each turn calls the tool, fails once, and then answers. */
  function answerTo({
    userText,
    lastToolResult,
    turnIndex,
  }: {
    readonly userText: string;
    readonly lastToolResult?: unknown;
    readonly turnIndex: number;
  }): ReturnType<typeof reply.text> | ReturnType<typeof reply.error> {
    if (userText === 'Hi') return reply.text('Hi.');
    if (lastToolResult === undefined) return turnIndex % 3 === 0 ? reply.error(503) : reply.tool('works', {});
    return reply.tool(FINALIZER_NAME, { output: { n: 1 } });
  }

  async function ask(path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${server.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response.json();
  }

  async function doWork(): Promise<void> {
    const made = await ask('/api/chats', { content: 'Count', response_format });
    const { chat, request_id } = z
      .object({ chat: z.object({ id: z.string() }), request_id: z.string() })
      .parse(made);
    const receipt = await ask(`/api/chats/${chat.id}/requests/${request_id}?wait=30`);
    expect(receipt).toMatchObject({ status: 'succeeded' });
    await ask('/v1/chat/completions', { model: 'qwen', messages: MESSAGE });
  }

  async function startPrometheus(port: number): Promise<void> {
    const target = new URL(server.url).host;
    const config = join(folder, 'prometheus.yaml');
    writeFileSync(
      config,
      JSON.stringify({
        global: { scrape_interval: `${SCRAPE_MS}ms`, scrape_timeout: `${SCRAPE_MS}ms` },
        rule_files: [join(OPERATIONS, 'alerts.yaml')],
        scrape_configs: [
          {
            job_name: 'truecast',
            authorization: { credentials: token },
            static_configs: [{ targets: [target] }],
          },
        ],
      }),
    );
    const flags = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ];
    prometheus = spawn('prometheus', flags, { stdio: 'ignore' });
    await once(prometheus, 'spawn');
    const isReady = async (): Promise<void> => {
      expect((await fetch(`http://127.0.0.1:${port}/-/ready`)).status).toBe(200);
    };
    await vi.waitFor(isReady, { timeout: 30_000, interval: 100 });
  }

  async function query(path: string): Promise<unknown> {
    return resultSchema.parse(await (await fetch(`${url}/api/v1/${path}`)).json()).data;
  }

  async function samplesOf(expr: string): Promise<readonly unknown[]> {
    const data = await query(`query?query=${encodeURIComponent(expr)}`);
    return z.object({ result: z.array(z.unknown()) }).parse(data).result;
  }

  it('find data for every panel', async () => {
    await expect.poll(() => samplesOf('truecast_turns_total'), { timeout: 20_000 }).not.toEqual([]);
    await doWork();
    for (const [title, expr] of queries) {
      await expect
        .poll(() => samplesOf(expr), { timeout: 20_000, message: `${title}: ${expr}` })
        .not.toEqual([]);
    }
  });

  it('use only metrics and labels that the server has', async () => {
    const names = z.array(z.string()).parse(await query('label/__name__/values'));
    for (const { alert, expr } of alerts) {
      const used = [...expr.matchAll(/\b(?:truecast|nodejs|process)_\w+/gu)].map(([name]) => name);
      expect([alert, used.length > 0, used.filter((name) => !names.includes(name))]).toEqual([
        alert,
        true,
        [],
      ]);
      // Without its threshold and its filters, the alert's query has data.
      const [, left = ''] = /^(.*?) (?:>|==) [\d.]+$/su.exec(expr) ?? [];
      const open = left.replaceAll(/\{[^}]*\}/gu, '');
      expect([alert, (await samplesOf(open)).length]).toEqual([alert, 1]);
    }
    const rules = z
      .object({ groups: z.array(z.object({ rules: z.array(z.object({ health: z.string() })) })) })
      .parse(await query('rules'));
    expect(rules.groups.flatMap((group) => group.rules)).toHaveLength(5);
  });

  it('fire as described, by the tests of the rules', () => {
    const options = { cwd: OPERATIONS, encoding: 'utf8' } as const;
    expect(execFileSync('promtool', ['check', 'rules', 'alerts.yaml'], options)).toContain('5 rules found');
    expect(execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], options)).toContain('SUCCESS');
  });
});
