/**
 * Tests of `egress: { allow }` with the real CLIs: the model through a proxy with the key outside,
 * or directly if it is listed.
 */
import { createServer, connect, type Server, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import type { ModelRequest } from '../../packages/truecast/src/sandboxes/egress/model/model-proxy.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { shellOutput } from '../../packages/testing/src/scripted-model/turn/shell-tools.ts';
import { runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRow } from '../matrix.ts';
import {
  CLI_BIN_DIR,
  describeRealCli,
  makeWorkplace,
  type RealCli,
  type Workplace,
  quickStart,
} from './real-cli.ts';

// Generated at run time: the checkout, including this file, might be visible inside.
const KEY = `sk-live-${crypto.randomUUID()}`;
/** Finds the key but not the pattern itself, which is part of a command line inside. */
const PATTERN = `${KEY.slice(0, -1)}[${KEY.slice(-1)}]`;
/** Prints how often the guest finds the key, and the response of a host that is not listed. */
const LOOK = `{ env; cat /proc/*/environ /proc/*/cmdline; find ~ /tmp /run /var/tmp /etc . -type f -exec cat {} + ; } 2>/dev/null | grep -a -c '${PATTERN}'; curl -s -o /dev/null -w '%{http_connect}' https://evil.test/; true`;
const output = Output.object({ tag: 'result', schema: z.object({ seen: z.string() }) });

interface Case {
  readonly cli: RealCli;
  agent(baseURL: string, server: ScriptedModelServer): AgentProvider;
  environment(baseURL: string): Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  {
    cli: 'claude',
    agent: () => claudeCode('claude-opus-4-8'),
    environment: (baseURL) => ({
      ANTHROPIC_BASE_URL: baseURL,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    cli: 'codex',
    agent: (baseURL) => codex('gpt-5.4', { baseURL: `${baseURL}/v1` }),
    environment: () => ({ OPENAI_API_KEY: KEY }),
  },
];

for (const [row, { cli, agent, environment }] of CASES.entries()) {
  if (!runsBubblewrap) continue;
  describeRealCli(cli, `${cli} with listed hosts`, () => {
    const saved = { ...process.env };
    let work: Workplace;
    let server: ScriptedModelServer;
    let door: Server;
    const itInMatrix = matrixRow(row, { rows: CASES.length });

    beforeEach(async () => {
      work = await makeWorkplace({ 'a.txt': 'a\n' });
      server = await scriptedModelServer({
        key: KEY,
        script: [
          () => reply.shell(LOOK),
          (turn) =>
            reply.text(
              `<result>${JSON.stringify({ seen: (shellOutput(turn) ?? '').trim().replaceAll(/\s+/g, ' ') })}</result>`,
            ),
        ],
      });
      // A loopback address that the sandbox does not map to its own loopback, so that only a proxy
      // can reach it.
      const upstreamPort = Number(new URL(server.anthropicUrl).port);
      door = createServer((socket) => {
        const upstream = connect(upstreamPort, '127.0.0.1');
        socket.on('error', () => upstream.destroy()).pipe(upstream);
        upstream.on('error', () => socket.destroy()).pipe(socket);
      }).listen(0, '127.0.0.2');
      await once(door, 'listening');
      process.env['PATH'] = `${CLI_BIN_DIR}${delimiter}${saved['PATH'] ?? ''}`;
      process.env['HOME'] = work.home;
    });
    afterEach(async () => {
      for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
      Object.assign(process.env, saved);
      door.close();
      await server.close();
      await work[Symbol.asyncDispose]();
    });

    const doorUrl = (): string => `http://127.0.0.2:${(door.address() as AddressInfo).port}`;
    const options = (): Pick<
      Parameters<typeof run>[0],
      'cwd' | 'branchStrategy' | 'prompt' | 'timeouts'
    > => ({
      cwd: work.repo,
      branchStrategy: { type: 'merge-to-head' },
      prompt: 'Look around, and answer in a <result> tag.',
      timeouts: { idleMs: 30_000 },
    });

    itInMatrix(
      'reaches its model beside the list, with the key outside, and its tokens counted',
      async () => {
        Object.assign(process.env, environment(doorUrl()));
        const requests: ModelRequest[] = [];
        const sandbox = bubblewrap({
          ...quickStart(),
          egress: { allow: ['registry.example'] },
          onModelRequest: (request) => requests.push(request),
        });
        const result = await run({ ...options(), agent: agent(doorUrl(), server), sandbox, output });
        expect(result.output.seen).toBe('0 403');
        expect(JSON.stringify(server.requests.map(({ headers }) => headers))).toContain(KEY);
        expect(result.warnings).toContain(
          'A connection of the sandbox was blocked: `evil.test:443` is not listed in `egress.allow`.',
        );
        const counted = requests.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
        expect(counted.length).toBeGreaterThanOrEqual(2);
        expect(counted.reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(
          result.usage?.outputTokens,
        );
      },
    );

    itInMatrix('reaches a listed model by itself, through the proxy that its environment names', async () => {
      const allow = [doorUrl().slice('http://'.length)];
      const { modelAccess: _, ...plain } = agent(doorUrl(), server);
      const result = await run({
        ...options(),
        agent: plain,
        env: environment(doorUrl()),
        sandbox: bubblewrap({ ...quickStart(), egress: { allow } }),
        output,
      });
      // Without a proxy that adds it, the key has to be inside.
      expect(result.output.seen).toMatch(/^[1-9]\d* 403$/);
    });
  });
}
