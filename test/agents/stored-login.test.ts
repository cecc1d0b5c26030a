/**
 * Tests of stored logins with the real CLIs in a sandbox without a network option: the login works,
 * and the sandbox reaches the hosts of the agent and nothing else.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { copilot } from '../../packages/truecast/src/agents/copilot/copilot.ts';
import { geminiCli } from '../../packages/truecast/src/agents/gemini-cli/gemini-cli.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { opencode } from '../../packages/truecast/src/agents/opencode/opencode.ts';
import { pi } from '../../packages/truecast/src/agents/pi/pi.ts';
import { KEY_VARIABLES } from '@truecast/model/internal/models-file/list-variables';
import type {
  BindMountSandboxProvider,
  MountConfig,
} from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { shellOutput } from '../../packages/testing/src/scripted-model/turn/shell-tools.ts';
import { runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM } from '../matrix.ts';
import {
  CLI_BIN_DIRS,
  describeRealCli,
  makeWorkplace,
  OPENCODE_CONFIGURED,
  type RealCli,
  type Workplace,
  quickStart,
} from './real-cli.ts';

const LOGIN = `sk-stored-${crypto.randomUUID()}`;
const TIMEOUT = { timeout: 240_000 };
const LOOK = "curl -s -o /dev/null -w '%{http_connect}' https://evil.test/; true";
const output = Output.object({ tag: 'result', schema: z.object({ seen: z.string() }) });

interface Case {
  readonly cli: RealCli;
  readonly agent: (server: ScriptedModelServer) => AgentProvider;
  /** The file of the login, below HOME. */
  readonly path: string;
  readonly login: object;
  readonly env?: Readonly<Record<string, string>>;
  /** A host of the default list. */
  readonly host: string;
}

interface VendorCase {
  readonly cli: RealCli;
  readonly agent: AgentProvider;
  /** Files of the login, below HOME. All are in one folder. */
  readonly files: Readonly<Record<string, object>>;
  /** The first host that the CLI asks. */
  readonly host: string;
}

const CASES: readonly Case[] = [
  {
    cli: 'codex',
    agent: (server) => ({
      ...codex('gpt-5.4', { config: { openai_base_url: JSON.stringify(server.openaiUrl) } }),
      hosts: () => [new URL(server.openaiUrl).host, ...(codex().hosts?.({}) ?? [])],
    }),
    path: '.codex/auth.json',
    login: { OPENAI_API_KEY: LOGIN },
    host: 'chatgpt.com',
  },
  {
    cli: 'opencode',
    // To copy its session, it is started a second time.
    agent: (server) => opencode('openai/gpt-5.4', { baseURL: server.openaiUrl, captureSessions: false }),
    path: '.local/share/opencode/auth.json',
    login: { openai: { type: 'api', key: LOGIN } },
    env: OPENCODE_CONFIGURED,
    host: 'api.openai.com',
  },
  {
    cli: 'pi',
    agent: (server) => pi('openai/gpt-5.4', { baseURL: server.openaiUrl }),
    path: '.pi/agent/auth.json',
    login: { openai: { type: 'api_key', key: LOGIN } },
    env: { PI_OFFLINE: '1' },
    host: 'api.openai.com',
  },
];

/** Logins that only the vendor's own service can accept. */
const VENDOR_CASES: readonly VendorCase[] = [
  {
    cli: 'copilot',
    agent: copilot(),
    files: {
      '.copilot/config.json': {
        last_logged_in_user: { host: 'https://github.com', login: 'me' },
        logged_in_users: [{ host: 'https://github.com', login: 'me' }],
        copilot_tokens: { 'https://github.com:me': `gho_${'a'.repeat(36)}` },
        store_token_plaintext: true,
      },
    },
    host: 'api.github.com',
  },
  {
    cli: 'gemini',
    agent: geminiCli('gemini-2.5-pro'),
    files: {
      '.gemini/oauth_creds.json': {
        access_token: `ya29.${'a'.repeat(40)}`,
        refresh_token: '1//not-a-token',
        token_type: 'Bearer',
        expiry_date: Date.now() + 3_600_000,
      },
      '.gemini/settings.json': { security: { auth: { selectedType: 'oauth-personal' } } },
    },
    host: 'oauth2.googleapis.com',
  },
];

/** A sandbox without a network option that shows the folder of a login. */
function showing(login: MountConfig): BindMountSandboxProvider {
  const { env, mounts } = quickStart();
  return bubblewrap({ env, mounts: [...mounts, login] });
}

for (const { cli, agent, path, login, env = {}, host } of CASES) {
  if (!runsBubblewrap) continue;
  describeRealCli(cli, `${cli} with a stored login`, () => {
    const saved = { ...process.env };
    let work: Workplace;

    beforeEach(async () => {
      work = await makeWorkplace({ 'a.txt': 'a\n' });
      for (const name of [...Object.values(KEY_VARIABLES), 'CODEX_API_KEY']) delete process.env[name];
      process.env['PATH'] = `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`;
      process.env['HOME'] = work.home;
    });
    afterEach(async () => {
      for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
      Object.assign(process.env, saved);
      await work[Symbol.asyncDispose]();
    });

    it('reaches its model by default, and nothing else', async () => {
      const server = await scriptedModelServer({
        key: LOGIN,
        script: [
          () => reply.shell(LOOK),
          (turn) =>
            reply.text(`<result>${JSON.stringify({ seen: (shellOutput(turn) ?? '').trim() })}</result>`),
        ],
      });
      try {
        const hostPath = join(work.root, 'login');
        const file = join(hostPath, path.slice(dirname(path).length + 1));
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, JSON.stringify(login));
        const running = run({
          agent: agent(server),
          sandbox: showing({ hostPath, sandboxPath: `~/${dirname(path)}` }),
          env,
          cwd: work.repo,
          branchStrategy: { type: 'merge-to-head' },
          prompt: 'Look around, and answer in a <result> tag.',
          timeouts: { idleMs: 100_000 },
          output,
        });
        const ready: unknown[] = [];
        for await (const event of running) if (event.type === 'sandbox-ready') ready.push(event);
        expect((await running).output.seen).toContain('403');
        expect(JSON.stringify(server.requests.map(({ headers }) => headers))).toContain(LOGIN);
        expect(ready).toMatchObject([
          { egress: expect.stringContaining(host) as unknown, enforcesEgress: true },
        ]);
      } finally {
        await server.close();
      }
    });
  });
}

/** Runs the agent with its login, and returns the hosts that were refused. */
async function refusedHosts(work: Workplace, { agent, files }: VendorCase): Promise<readonly string[]> {
  const hostPath = join(work.root, 'login');
  await mkdir(hostPath, { recursive: true });
  for (const [path, value] of Object.entries(files)) {
    await writeFile(join(hostPath, basename(path)), JSON.stringify(value));
  }
  const running = run({
    agent,
    sandbox: showing({ hostPath, sandboxPath: `~/${dirname(Object.keys(files)[0] ?? '')}` }),
    cwd: work.repo,
    branchStrategy: { type: 'merge-to-head' },
    prompt: 'Work.',
    timeouts: { runMs: 50_000 },
  });
  // The service refuses the planted login, or cannot be reached.
  const ended = running.catch((error: unknown) => error);
  const warnings: string[] = [];
  try {
    for await (const event of running) if (event.type === 'warning') warnings.push(event.message);
  } catch {
    // The same error as `ended`.
  }
  await ended;
  return warnings.flatMap(
    (warning) => /`([^`]+):443` is not listed in `egress\.allow`/u.exec(warning)?.[1] ?? [],
  );
}

for (const vendor of VENDOR_CASES) {
  if (!runsBubblewrap) continue;
  const { cli, agent, host } = vendor;
  describeRealCli(cli, `${cli} with a stored login`, () => {
    it('may ask its own service by default, and names the host of a list without it', TIMEOUT, async () => {
      await using work = await makeWorkplace({ 'a.txt': 'a\n' });
      const saved = { ...process.env };
      try {
        for (const name of ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GH_TOKEN', 'GITHUB_TOKEN']) {
          delete process.env[name];
        }
        process.env['PATH'] = `${CLI_BIN_DIRS}${delimiter}${saved['PATH'] ?? ''}`;
        process.env['HOME'] = work.home;
        if (FORM === 'whole') expect(await refusedHosts(work, vendor)).toEqual([]);
        const others = (agent.hosts?.({}) ?? []).filter((each) => each !== host);
        const short = { ...vendor, agent: { ...agent, hosts: () => others } };
        // All other hosts that it asks are in its list.
        expect(new Set(await refusedHosts(work, short))).toEqual(new Set([host]));
      } finally {
        for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
        Object.assign(process.env, saved);
      }
    });
  });
}
