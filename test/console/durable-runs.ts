/** Durable runs of the console's server: an agent that follows its prompt, and requests to it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  CLAUDE_SESSION,
  PRINT_SESSION,
  printLine,
  printResult,
  printText,
  writeFakeClaude,
} from '../fake-claude.ts';
import type { ConsoleServer } from './console-fixture.ts';

const TOOL_CALL = { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'npm test -- parser' } };
/** Claude Code continues a session only if it is stored. */
const STORE_SESSION = [
  `sessions="$HOME/.claude/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')"`,
  'mkdir -p "$sessions"',
  `echo "{\\"type\\":\\"user\\",\\"message\\":{\\"content\\":\\"x\\"},\\"cwd\\":\\"$(pwd)\\",\\"sessionId\\":\\"${CLAUDE_SESSION}\\"}" >> "$sessions/${CLAUDE_SESSION}.jsonl"`,
];
const answer = (severity: string): string =>
  printResult({ structured_output: { severity, area: 'parser', files: ['src/parser.ts'] } });

const outcome = (value: object): string => printResult({ structured_output: { value } });
const QUESTION = {
  text: 'The loop of src/parser.ts is used by two importers. Which one may change its result?',
  options: ['Only the importer of invoices', 'Both'],
};

/** Text of the model as it arrives. */
const printDelta = (text: string): string =>
  printLine({
    type: 'stream_event',
    event: { type: 'content_block_delta', delta: { type: 'text_delta', text } },
  });
/** The agent waits for a file in its worktree, which the test writes. */
const UNTIL_GO = 'while [ ! -e go ]; do sleep 0.1; done; rm go';
const inPieces = (...pieces: readonly string[]): string =>
  [...pieces.map((piece) => `${UNTIL_GO}; ${printDelta(piece)}`), UNTIL_GO, printResult(), 'exit'].join('; ');

/**
 * A prompt with `in pieces` is answered in a tag, wrong first, and each piece waits for the test. A prompt with `slowly` or `and ask` commits once. Then `slowly` works until it is stopped, and `and ask` ends
 * with a question, whose answer is accepted. Another prompt is answered: wrong while the repository has no file `fixed`.
 */
export const AGENT: string = [
  'prompt=$(cat)',
  PRINT_SESSION,
  ...STORE_SESSION,
  printText('I read src/parser.ts and its tests. The loop ends one item too late.'),
  printLine({ type: 'assistant', message: { content: [TOOL_CALL] } }),
  `case "$prompt" in *"answer in <result> does not fit"*) ${inPieces('<result>{"severity":"hi', 'gh","area":"parser","files":[]}</result>')} ;; esac`,
  `case "$prompt" in *"in pieces"*) ${inPieces('It is in <result>: <result>{"severity":"hgh","area":"par', 'ser","files":[]}</result>')} ;; esac`,
  `case "$prompt" in *"answer to your question"*) ${outcome({ answer: 'The loop ends earlier.' })}; exit ;; esac`,
  'case "$prompt" in *slowly*|*"and ask"*)',
  '  printf "i = 0\\nwhile i < items\\n" > loop.txt && git add loop.txt && git commit -q -m "end the loop earlier" >&2',
  `  ${printText('I committed a first fix, and run the tests.')} ;;`,
  'esac',
  'case "$prompt" in',
  '  *slowly*) exec sleep 600 ;;',
  `  *"and ask"*) ${outcome({ question: QUESTION })}; exit ;;`,
  'esac',
  `if [ -e fixed ]; then ${answer('high')}; else ${answer('hgh')}; fi`,
].join('\n');

/** Installs the agent in a folder. Returns the environment of a server that finds it. */
export function scriptedAgent(folder: string, script: string): Readonly<Record<string, string>> {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  return { HOME: folder, CLAUDE_CONFIG_DIR: join(folder, '.claude'), PATH: writeFakeClaude(bin, script) };
}

const TRIAGE = {
  type: 'json_schema',
  json_schema: {
    name: 'triage',
    schema: {
      type: 'object',
      properties: {
        severity: { enum: ['low', 'medium', 'high'] },
        area: { type: 'string' },
        files: { type: 'array', items: { type: 'string' } },
      },
      required: ['severity', 'area', 'files'],
    },
  },
};

const outcomes = (key: string, schema: object): object => ({
  type: 'object',
  properties: { [key]: schema },
  required: [key],
  additionalProperties: false,
});

/** Accepts an answer or a question, as `run()` does with `question`. */
export const ASKING = {
  type: 'json_schema',
  json_schema: {
    name: 'change',
    schema: {
      type: 'object',
      properties: {
        value: {
          anyOf: [
            outcomes('answer', { type: 'string' }),
            outcomes('question', {
              type: 'object',
              properties: { text: { type: 'string' }, options: { type: 'array', items: { type: 'string' } } },
              required: ['text'],
            }),
          ],
        },
      },
      required: ['value'],
    },
  },
};

const read = z.object({ id: z.string(), receipt: z.unknown().optional() });

/** Calls a route of runs. @throws TypeError with the answer of a refusal */
export async function callRun(
  { url, token }: ConsoleServer,
  method: string,
  path: string,
  body?: object,
): Promise<z.infer<typeof read>> {
  const answered = await fetch(`${url}/api/runs${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answered.text();
  if (!answered.ok) throw new TypeError(`The server refused the run: ${text}`);
  return read.parse(JSON.parse(text));
}

/** Creates a run of a typed answer with one correction. Returns its id. */
export async function createRun(server: ConsoleServer, prompt: string, rest: object = {}): Promise<string> {
  const asked = { repository: 'web', agent: 'claude-code', prompt };
  const whole = { ...asked, response_format: TRIAGE, max_corrections: 1, ...rest };
  return (await callRun(server, 'POST', '', whole)).id;
}

/** Waits for the end of a run. */
export async function endedRun(server: ConsoleServer, id: string): Promise<void> {
  while ((await callRun(server, 'GET', `/${id}?wait=30`)).receipt === undefined);
}
