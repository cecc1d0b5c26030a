import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { BASE_URL_NAMES } from '../../packages/truecast/src/agents/base-url-names.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { copilot } from '../../packages/truecast/src/agents/copilot/copilot.ts';
import { geminiCli } from '../../packages/truecast/src/agents/gemini-cli/gemini-cli.ts';
import { openRepository } from '../../packages/truecast/src/git/repository/repository.ts';
import {
  resolveEnvironment,
  type RunEnvironment,
} from '../../packages/truecast/src/run/prepare/run-environment.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { makeRepository, runOptions } from './fixture.ts';

const URL = 'https://collector.example';
const KEY = 'sk-planted-key-0123456789';
const TOUCHED = [
  ...BASE_URL_NAMES.flatMap(({ name, keys }) => [name, ...keys]),
  'ACME_BASE_URL',
  'ACME_API_KEY',
];
const saved = new Map(TOUCHED.map((name) => [name, process.env[name]]));

function clear(): void {
  for (const name of TOUCHED) delete process.env[name];
}
afterEach(() => {
  clear();
  for (const [name, value] of saved) if (value !== undefined) process.env[name] = value;
});

/** Repositories by their path. None of their git changes here. */
const opened = new Map<string, ReturnType<typeof openRepository>>();

/** Reads the environment of a run from a file, the process and the program's `env`. */
async function resolve(
  values: Readonly<Record<'file' | 'process' | 'program', Readonly<Record<string, string>>>>,
  cwd = makeRepository(),
): Promise<RunEnvironment> {
  clear();
  Object.assign(process.env, values.process);
  mkdirSync(join(cwd, '.truecast'), { recursive: true });
  const lines = Object.entries(values.file).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(join(cwd, '.truecast/.env'), lines.join('\n'));
  const opening = opened.get(cwd) ?? openRepository(cwd, { timeoutMs: 10_000 });
  opened.set(cwd, opening);
  const repository = await opening;
  return resolveEnvironment({ sandbox: { tag: 'bind-mount', env: {} }, env: values.program }, repository);
}

const none = { file: {}, process: {}, program: {} };
const refused = (name: string): object => ({
  code: 'base-url-source',
  message: expect.stringContaining(`\`${name}\``),
});

/**
 * Agents whose key stays outside of the sandbox and whose address can come from the environment.
 */
const CARRIED: readonly (readonly [agent: AgentProvider, url: string, key: string])[] = [
  [claudeCode('sonnet'), 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'],
  [claudeCode('sonnet'), 'ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN'],
  [claudeCode('sonnet'), 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
  [codex('gpt-5.4'), 'OPENAI_BASE_URL', 'OPENAI_API_KEY'],
  [codex('gpt-5.4'), 'OPENAI_BASE_URL', 'CODEX_API_KEY'],
  [geminiCli('gemini-2.5-pro'), 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_API_KEY'],
  [copilot('gpt-5.4'), 'COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_API_KEY'],
  [copilot('gpt-5.4'), 'COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_BEARER_TOKEN'],
];

describe.each(CARRIED)('%o', (agent, url, key) => {
  it(`gets no ${key} of one source with ${url} of another`, async () => {
    const cwd = makeRepository();
    const split = [
      { ...none, file: { [url]: URL }, process: { [key]: KEY } },
      { ...none, file: { [url]: URL }, program: { [key]: KEY } },
      // An empty value in the file means the process's value.
      { ...none, file: { [url]: URL, [key]: '' }, process: { [key]: KEY } },
      { ...none, file: { [key]: KEY }, process: { [url]: URL } },
    ];
    for (const values of split) await expect(resolve(values, cwd)).rejects.toMatchObject(refused(url));
  });

  it(`gets both from one source, or ${url} from the program with any key`, async () => {
    const cwd = makeRepository();
    const both = { [url]: URL, [key]: KEY };
    const allowed = [
      { ...none, file: both },
      { ...none, process: both },
      { ...none, program: both },
      { ...none, program: { [url]: URL }, process: { [key]: KEY } },
      { ...none, program: { [url]: URL }, file: { [key]: KEY } },
    ];
    for (const values of allowed) {
      const { host } = await resolve(values, cwd);
      const access = agent.modelAccess?.(host);
      expect(access?.upstreamUrl).toBe(URL);
      expect(JSON.stringify(access?.headers)).toContain(KEY);
    }
  });
});

/** Names whose keys and stored login the CLIs send themselves. */
const SENT_BY_CLI: readonly (readonly [url: string, key: string])[] = [
  ['CURSOR_API_ENDPOINT', 'CURSOR_API_KEY'],
  ['CURSOR_API_ENDPOINT', 'CURSOR_AUTH_TOKEN'],
  ['CURSOR_API_BASE_URL', 'CURSOR_API_KEY'],
  ['COPILOT_API_URL', 'COPILOT_GITHUB_TOKEN'],
  ['COPILOT_API_URL', 'GH_TOKEN'],
  ['GH_HOST', 'GITHUB_TOKEN'],
  ['CODE_ASSIST_ENDPOINT', 'GOOGLE_CLOUD_ACCESS_TOKEN'],
];

describe.each(SENT_BY_CLI)('%s', (url, key) => {
  it(`is refused beside ${key} of another source, and beside a stored login`, async () => {
    const cwd = makeRepository();
    const refusals = [
      { ...none, file: { [url]: URL }, process: { [key]: KEY } },
      { ...none, file: { [url]: URL }, program: { [key]: KEY } },
      { ...none, file: { [key]: KEY }, process: { [url]: URL } },
      { ...none, file: { [url]: URL } },
    ];
    for (const values of refusals) await expect(resolve(values, cwd)).rejects.toMatchObject(refused(url));
    const { inside } = await resolve({ ...none, file: { [url]: URL, [key]: KEY } }, cwd);
    expect(inside).toEqual({ [url]: URL, [key]: KEY });
  });
});

describe('a base URL of the file', () => {
  it('is refused beside a login that the CLI has stored', async () => {
    await expect(resolve({ ...none, file: { ANTHROPIC_BASE_URL: URL } })).rejects.toMatchObject(
      refused('ANTHROPIC_BASE_URL'),
    );
  });

  it('is refused in settings of OpenCode and Pi, and for a service in no list', async () => {
    const cwd = makeRepository();
    const config = JSON.stringify({ provider: { openai: { options: { baseURL: URL } } } });
    const files = {
      OPENCODE_CONFIG_CONTENT: config,
      OPENCODE_CONFIG: './evil.json',
      PI_CODING_AGENT_DIR: './evil',
    };
    for (const [name, value] of Object.entries(files)) {
      await expect(
        resolve({ ...none, file: { [name]: value }, process: { OPENAI_API_KEY: KEY } }, cwd),
        name,
      ).rejects.toMatchObject(refused(name));
    }
    const acme = { ...none, file: { ACME_BASE_URL: URL }, process: { ACME_API_KEY: KEY } };
    await expect(resolve(acme, cwd)).rejects.toMatchObject(refused('ACME_BASE_URL'));
  });

  it('is allowed where no key could go there', async () => {
    const { inside } = await resolve({
      ...none,
      file: { ACME_BASE_URL: URL },
      process: { OPENAI_API_KEY: KEY },
    });
    expect(inside).toEqual({ ACME_BASE_URL: URL });
  });

  it('refuses a whole run before anything is created', async () => {
    const cwd = makeRepository();
    await resolve(none, cwd);
    writeFileSync(join(cwd, '.truecast/.env'), `ANTHROPIC_BASE_URL=${URL}`);
    process.env['ANTHROPIC_API_KEY'] = KEY;
    const failure = run(runOptions('touch ran', { cwd }));
    await expect(failure).rejects.toMatchObject(refused('ANTHROPIC_BASE_URL'));
    await expect(failure).rejects.not.toThrow(KEY);
  });
});
