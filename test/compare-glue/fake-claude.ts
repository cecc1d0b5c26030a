/**
 * Fake `claude` CLI: the flags, sessions and events of Claude Code's print mode. A script of the test, which
 * it asks over HTTP, decides what it does and says.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { AgentAct } from './agent-act.ts';

const [control = '', ...args] = process.argv.slice(2);
const value = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const { values, positionals } = readArguments();

const prompt = positionals[0] ?? (await readText(process.stdin));
if (values.print !== true) fail('Error: this imitation has only the print mode. Use -p.');
if (prompt.trim() === '') fail('Error: Input must be provided either through stdin or as a prompt argument');
const format = values['output-format'] ?? 'text';
if (format === 'stream-json' && values.verbose !== true) {
  fail('Error: When using --print, --output-format=stream-json requires --verbose');
}

// A session belongs to the folder in which it began.
const projects = join(process.env['CLAUDE_CONFIG_DIR'] ?? join(homedir(), '.claude'), 'projects');
const folder = join(projects, process.cwd().replaceAll(/[^a-zA-Z0-9]/gu, '-'));
const resumed = values.resume;
if (resumed !== undefined && !existsSync(join(folder, `${resumed}.jsonl`))) {
  fail(`No conversation found with session ID: ${resumed}`);
}
const sessionId =
  resumed === undefined || values['fork-session'] === true ? (values['session-id'] ?? randomUUID()) : resumed;

const lines: object[] = [];
emit({
  type: 'system',
  subtype: 'init',
  cwd: process.cwd(),
  session_id: sessionId,
  model: 'claude-opus-5-5',
  tools: ['Bash'],
});
remember({ type: 'user', message: { role: 'user', content: prompt } });
const act = (await post('act', {
  prompt,
  sessionId,
  resumed,
  cwd: process.cwd(),
  pid: process.pid,
})) as AgentAct;

if (act.shell !== undefined) {
  say({ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: act.shell } });
  const { status, stdout, stderr } = spawnSync('sh', ['-c', act.shell], { encoding: 'utf8' });
  emit({
    type: 'user',
    message: {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: stdout + stderr, is_error: status !== 0 },
      ],
    },
    parent_tool_use_id: null,
    session_id: sessionId,
  });
}
await post('did', { pid: process.pid, cwd: process.cwd(), head: head() });

switch (act.end) {
  case 'hang':
    await sleep(3_600_000);
    break;
  case 'crash':
    await finish(undefined, 1);
    break;
  case 'limit':
    say(
      { type: 'text', text: 'API Error: Request rejected (429)' },
      { is_api_error_message: true, error: 'rate_limit' },
    );
    await finish({ is_error: true, api_error_status: 429, result: 'API Error: Request rejected (429)' }, 1);
    break;
  case 'cut':
    // The connection to the model ended in the middle of the text.
    say({ type: 'text', text: act.text.slice(0, act.text.length / 2) });
    await finish({ subtype: 'error_during_execution', is_error: true, errors: ['Connection error.'] }, 1);
    break;
  case 'fail':
    say({ type: 'text', text: act.text });
    await finish({ is_error: true, result: 'The session ended unexpectedly.' }, 1);
    break;
  case 'ok':
  case undefined:
  default:
    say({ type: 'text', text: act.text });
    await finish({ is_error: false, result: act.text, stop_reason: act.stopReason ?? 'end_turn' }, 0);
}

function readArguments(): ReturnType<typeof parse> {
  try {
    return parse();
  } catch (error) {
    return fail(`error: ${error instanceof Error ? error.message : String(error)}`);
  }
}

// eslint-disable-next-line typescript/explicit-function-return-type -- the type is that of the flags below
function parse() {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      print: { ...flag, short: 'p' },
      verbose: flag,
      'output-format': value,
      'input-format': value,
      resume: { ...value, short: 'r' },
      'session-id': value,
      'fork-session': flag,
      'dangerously-skip-permissions': flag,
      'permission-mode': value,
      'max-turns': value,
      model: value,
      effort: value,
      'append-system-prompt': value,
      'system-prompt': value,
      allowedTools: value,
      'allowed-tools': value,
      disallowedTools: value,
      'include-partial-messages': flag,
    },
  });
}

function say(block: object, more: object = {}): void {
  emit({
    type: 'assistant',
    message: {
      id: `msg_${lines.length}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [block],
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
    parent_tool_use_id: null,
    session_id: sessionId,
    ...more,
  });
}

function emit(line: object): void {
  lines.push(line);
  remember(line);
  if (format === 'stream-json') process.stdout.write(`${JSON.stringify(line)}\n`);
}

function remember(line: object): void {
  mkdirSync(folder, { recursive: true });
  appendFileSync(
    join(folder, `${sessionId}.jsonl`),
    `${JSON.stringify({ ...line, cwd: process.cwd(), sessionId })}\n`,
  );
}

/** Prints the result, if the CLI still can, and ends the process. */
async function finish(result: object | undefined, exitCode: number): Promise<never> {
  await post('end', { pid: process.pid });
  if (result !== undefined) {
    emit({
      type: 'result',
      subtype: 'success',
      session_id: sessionId,
      num_turns: 1,
      total_cost_usd: 0.01,
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      ...result,
    });
  }
  if (format === 'json') {
    process.stdout.write(`${JSON.stringify(values.verbose === true ? lines : lines.at(-1))}\n`);
  }
  if (format === 'text') process.stdout.write(`${act.text}\n`);
  process.exit(exitCode);
}

function head(): string | undefined {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`${control}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
