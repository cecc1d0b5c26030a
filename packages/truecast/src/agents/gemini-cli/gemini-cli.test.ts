import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentCommandOptions, AgentEvent } from '../../ports/agent-provider.ts';
import { geminiCli, type GeminiCliOptions } from './gemini-cli.ts';

const prompted: AgentCommandOptions = { prompt: 'Fix it.', dangerouslySkipPermissions: true };
const MCP_SERVER = { name: 'truecast', command: 'node', args: ["it's", 'here'] };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'truecast-gemini-'));
});
afterEach(() => rm(root, { recursive: true }));

const COMMANDS: readonly [
  string,
  string | undefined,
  GeminiCliOptions,
  Partial<AgentCommandOptions>,
  string,
][] = [
  ['nothing else', undefined, {}, {}, '--skip-trust --yolo'],
  ['a model', 'gemini-2.5-pro', {}, {}, '--skip-trust --yolo --model gemini-2.5-pro'],
  ['permissions as the CLI has them', undefined, {}, { dangerouslySkipPermissions: false }, ''],
  [
    'an approval mode',
    undefined,
    { approvalMode: 'auto_edit' },
    {},
    '--skip-trust --approval-mode auto_edit',
  ],
  ['a session', undefined, {}, { resumeSession: 'a1-b2' }, '--skip-trust --yolo --resume a1-b2'],
  [
    'a fork, from the file of the session',
    undefined,
    {},
    { resumeSession: '01234567-89ab', forkSession: true },
    `--skip-trust --yolo --session-file "$(ls -t -- "\${GEMINI_CLI_HOME:-$HOME}"/.gemini/tmp/*/chats/session-*-01234567.jsonl | head -n 1)"`,
  ],
];

test.each(COMMANDS)('the command line holds %s', (_case, model, options, asked, expected) => {
  expect(geminiCli(model, options).buildPrintCommand({ ...prompted, ...asked })).toEqual({
    command: ['gemini --output-format stream-json', expected].filter((words) => words !== '').join(' '),
    stdin: 'Fix it.',
    env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
  });
});

test('it loads itself once, except where the caller or a person decides', () => {
  const agent = geminiCli(undefined, { env: { GEMINI_CLI_NO_RELAUNCH: '' } });
  expect(agent.buildPrintCommand(prompted).env).toEqual({});
  expect(geminiCli().env).toEqual({});
});

/** Runs a command with a `gemini` that prints its settings, in a home with `files`. */
async function shownBy(command: string, files: Readonly<Record<string, string>> = {}) {
  const home = join(root, 'home');
  const bin = join(root, 'bin');
  await Promise.all([mkdir(join(home, '.gemini'), { recursive: true }), mkdir(bin, { recursive: true })]);
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, '.gemini', name), text);
  await writeFile(
    join(bin, 'gemini'),
    '#!/bin/sh\nprintf "%s\\n" "$GEMINI_CLI_HOME"; cat "$GEMINI_CLI_HOME/.gemini/settings.json"; echo; ls -l "$GEMINI_CLI_HOME/.gemini"\n',
    { mode: 0o755 },
  );
  const env = { HOME: home, TMPDIR: root, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const result = await execa('sh', ['-c', command], { env, reject: false });
  const [madeHome = '', settings = '', ...listing] = result.stdout.split('\n');
  return { home, madeHome, settings, listing: listing.join('\n'), stderr: result.stderr };
}

test('a server is added to those of the user, whose settings are unchanged', async () => {
  const own =
    '{\n// mine: "x"\n"theme":"a//b", /* all */ "mcpServers":{"mine":{"command":"m"}},"mcp":{"allowed":["mine"]}}';
  const { command } = geminiCli().buildPrintCommand({ ...prompted, mcpServer: MCP_SERVER });
  const shown = await shownBy(command, { 'settings.json': own, 'oauth_creds.json': '{}' });

  expect(shown.stderr).toBe('');
  expect(JSON.parse(shown.settings)).toEqual({
    theme: 'a//b',
    mcpServers: {
      mine: { command: 'm' },
      truecast: { command: 'node', args: ["it's", 'here'], timeout: 3_600_000, trust: true },
    },
    mcp: { allowed: ['mine', 'truecast'] },
  });
  expect(await readFile(join(shown.home, '.gemini/settings.json'), 'utf8')).toBe(own);
});

test('the home of a run links to the login and the sessions of the user, and is gone afterwards', async () => {
  const { command } = geminiCli(undefined, { baseURL: 'http://127.0.0.1:1' }).buildPrintCommand(prompted);
  const shown = await shownBy(command, { 'oauth_creds.json': '{}' });

  expect(JSON.parse(shown.settings)).toEqual({ security: { auth: { selectedType: 'gemini-api-key' } } });
  for (const name of ['oauth_creds.json', 'tmp', 'history']) {
    expect(shown.listing).toContain(`${name} -> ${join(shown.home, '.gemini', name)}`);
  }
  await expect(readlink(shown.madeHome)).rejects.toThrow('ENOENT');
  expect((await readdir(join(shown.home, '.gemini'))).toSorted()).toEqual([
    'history',
    'oauth_creds.json',
    'tmp',
  ]);
});

test('a base URL goes into the environment, and another by the proxy is a base URL too', () => {
  expect(geminiCli(undefined, { baseURL: 'http://127.0.0.1:1' }).env).toEqual({
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1',
  });
  const { command } = geminiCli().buildPrintCommand({ ...prompted, modelBaseUrl: 'http://127.0.0.1:8080' });
  expect(command).toContain('"selectedType":"gemini-api-key"');
  expect(command).toMatch(/ && GEMINI_CLI_HOME="\$truecast" gemini --output-format stream-json /u);
});

test('interactive arguments hold the prompt, which is no option', () => {
  expect(geminiCli().buildInteractiveArgs?.({ ...prompted, prompt: "-it's" })).toEqual([
    'sh',
    '-c',
    String.raw`gemini --skip-trust --yolo '--prompt-interactive=-it'\''s'`,
  ]);
  expect(geminiCli().buildInteractiveArgs?.({ ...prompted, prompt: '' })).toEqual([
    'sh',
    '-c',
    'gemini --skip-trust --yolo',
  ]);
});

test('the key goes to the proxy, and a placeholder inside', () => {
  const access = geminiCli().modelAccess?.({ GEMINI_API_KEY: 'secret' });
  expect(access?.upstreamUrl).toBe('https://generativelanguage.googleapis.com');
  expect(access?.headers).toEqual({ 'x-goog-api-key': 'secret' });
  expect(access?.environment('http://127.0.0.1:8080')).toEqual({
    GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:8080',
    GEMINI_API_KEY: 'truecast-placeholder',
  });
  expect(access?.secretNames).toContain('GEMINI_API_KEY');
  expect(geminiCli().modelAccess?.({ GEMINI_API_KEY: '' })).toBeUndefined();
});

test("the proxy replaces the caller's base URL", () => {
  const access = geminiCli(undefined, {
    baseURL: 'http://127.0.0.1:1',
    env: { GEMINI_API_KEY: 'secret' },
  }).modelAccess?.({ GOOGLE_GEMINI_BASE_URL: 'http://other' });
  expect(access?.upstreamUrl).toBe('http://127.0.0.1:1');
});

function read(...lines: readonly unknown[]): readonly AgentEvent[] {
  const parser = geminiCli().createStreamParser();
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return [...parser.push(text), ...parser.end()];
}

const said = (content: string, role = 'assistant'): unknown => ({ type: 'message', role, content });

test('the prompt that comes back is no text of the agent', () => {
  expect(read(said('Fix it.', 'user'), said(''), said('Done.'))).toEqual([{ type: 'text', text: 'Done.' }]);
});

test('the result is what was said since the last tool', () => {
  const events = read(
    said('Look.'),
    { type: 'tool_use', tool_name: 'ls', parameters: {} },
    said('Do'),
    said('ne.'),
    { type: 'result', status: 'success' },
  );
  expect(events.at(-1)).toEqual({ type: 'end', text: 'Done.' });
});

test('what the model thought is output, and what was cached is no fresh input', () => {
  const stats = {
    total_tokens: 130,
    input_tokens: 100,
    output_tokens: 20,
    cached: 40,
    models: { small: { total_tokens: 30 }, large: { total_tokens: 100 } },
  };
  expect(read({ type: 'result', status: 'success', stats })[0]).toEqual({
    type: 'usage',
    model: 'large',
    usage: { inputTokens: 60, outputTokens: 30, cacheCreationInputTokens: 0, cacheReadInputTokens: 40 },
  });
});

test("a failed tool reports its error, and a failed run its provider's status", () => {
  const message = '[API Error: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]';
  expect(
    read(
      { type: 'tool_result', tool_id: 'a', status: 'error', error: { type: 'x', message: 'no such file' } },
      { type: 'error', severity: 'warning', message: 'Loop detected' },
      { type: 'result', status: 'error', error: { type: 'unknown', message } },
    ),
  ).toEqual([
    { type: 'tool-result', id: 'a', output: 'no such file', isError: true },
    { type: 'warning', message: 'Loop detected' },
    { type: 'error', message, statusCode: 503 },
  ]);
});
