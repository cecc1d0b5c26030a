/** The real Codex and OpenCode with a Truecast server as their model service. */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { createChatServer } from '../../packages/server/src/serve/create-chat-server.ts';
import { FORM } from '../matrix.ts';
import {
  CLI_BIN_DIRS,
  CODEX_ALONE,
  describeRealCli,
  makeWorkplace,
  OPENCODE_OFFLINE,
  type Workplace,
} from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

const COMMIT = 'echo hi > made.txt && git add -A && git commit -qm made';
let service: ScriptedModelServer;
let server: Awaited<ReturnType<typeof createChatServer>>;
let work: Workplace;
let token: string;

beforeEach(async () => {
  work = await makeWorkplace({ 'a.txt': 'a\n' });
  service = await scriptedModelServer({
    // A CLI can also ask for a title, without tools.
    script: ({ tools, lastToolResult }) =>
      tools.length > 0 && lastToolResult === undefined ? reply.shell(COMMIT) : reply.text('all done'),
  });
  server = await createChatServer({
    port: 0,
    databaseUrl: ':memory:',
    environment: { TRUECAST_BASE_URL: service.openaiUrl, TRUECAST_MODEL: 'scripted' },
    logLevel: 'silent',
  });
  ({ token } = await server.createToken({ name: 'cli', owner: 'cli', scopes: ['chats'] }));
});
afterEach(async () => {
  await server.close();
  await service.close();
  await work[Symbol.asyncDispose]();
});

/** Starts a CLI in the repository, and returns all that it printed. */
async function start(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { all } = await execa(file, args, {
    cwd: work.repo,
    env: {
      ...env,
      HOME: work.home,
      PATH: `${CLI_BIN_DIRS}${delimiter}${process.env['PATH'] ?? ''}`,
      KEY: token,
    },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
    timeout: 120_000,
  });
  return all;
}

describeRealCli('codex', 'Codex on our wire', () => {
  it('runs its tools and commits, with its groups and hosted tools in the request', async () => {
    const home = join(work.home, '.codex');
    await mkdir(home, { recursive: true });
    const provider = [`base_url = "${server.url}/v1"`, 'env_key = "KEY"', 'wire_api = "responses"'];
    const config = [
      'model = "local:scripted"',
      'model_provider = "own"',
      '[model_providers.own]',
      'name = "own"',
    ];
    await writeFile(join(home, 'config.toml'), [...config, ...provider, CODEX_ALONE].join('\n'));
    const flags = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
    const said = await start('codex', [...flags, 'Make a file.'], { CODEX_HOME: home });
    expect(said).toContain('all done');
    expect(await work.git('show', 'HEAD:made.txt')).toBe('hi');
  });
});

// In the short form, `run-on-our-wire.test.ts` runs OpenCode on this wire.
const declareOpenCode = (): void => {
  it('runs its tools and commits', async () => {
    const models = { 'local:scripted': { name: 'scripted' } };
    const options = { baseURL: `${server.url}/v1`, apiKey: token };
    const own = { npm: '@ai-sdk/openai-compatible', name: 'own', options, models };
    const config = {
      provider: { own },
      model: 'own/local:scripted',
      permission: { bash: 'allow', edit: 'allow' },
    };
    const path = join(work.home, 'opencode.json');
    await writeFile(path, JSON.stringify(config));
    const said = await start('opencode', ['run', '--model', 'own/local:scripted', 'Make a file.'], {
      ...OPENCODE_OFFLINE,
      OPENCODE_CONFIG: path,
    });
    expect(said).toContain('all done');
    expect(await work.git('show', 'HEAD:made.txt')).toBe('hi');
  });
};
if (FORM === 'whole') describeRealCli('opencode', 'OpenCode on our wire', declareOpenCode);
