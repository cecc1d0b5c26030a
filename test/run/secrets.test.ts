/**
 * Secrets in a run: secrets in all of an agent's output reach no sink, and the answer is returned
 * unchanged.
 */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { AgentError } from '../../packages/core/src/errors/agent-error.ts';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { errorToJson } from '../../packages/cli/src/terminal/print.ts';
import type { AgentStreamEvent } from '../../packages/truecast/src/run/events/agent-stream-event.ts';
import type { RunEvent } from '../../packages/truecast/src/run/events/run-events.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { temporaryFolder } from './fixture.ts';
import { ALL, DECLARED, expectNoSecret, filesOf, FROM_FILE, repositoryWithEnv } from './planted-secrets.ts';

const PIECE_BYTES = 97;

interface Sinks {
  readonly folder: string;
  readonly events: string[];
  readonly shown: string[];
  readonly options: RunOptions;
}

/**
 * The agent is a shell script that prints a file in chunks, so that every secret is split
 * somewhere. The script itself contains none.
 */
function prepare(said: string, script = '', changes: Partial<RunOptions> = {}): Sinks {
  const cwd = repositoryWithEnv({ VAULT: FROM_FILE });
  const folder = temporaryFolder();
  const saidFile = join(temporaryFolder(), 'said.txt');
  writeFileSync(saidFile, said);
  const pieces = Math.ceil(Buffer.byteLength(said) / PIECE_BYTES);
  const printing = `i=0; while [ $i -lt ${pieces} ]; do dd if="$F" bs=${PIECE_BYTES} skip=$i count=1 2>/dev/null; sleep 0.01; i=$((i+1)); done; `;
  const events: string[] = [];
  const shown: string[] = [];
  const live = new PassThrough();
  live.on('data', (chunk: Buffer) => shown.push(chunk.toString()));
  return {
    folder,
    events,
    shown,
    options: {
      agent: command({ command: ['sh', '-c', `F='${saidFile}'; ${printing}${script}`] }),
      sandbox: noSandbox(),
      cwd,
      env: { DECLARED },
      prompt: `Answer in <result>. ${ALL}`,

      logging: {
        type: 'file',
        path: join(folder, 'run.log'),
        live,
        verbose: true,
        onAgentStreamEvent: (event: AgentStreamEvent) => void events.push(JSON.stringify(event)),
        record: join(folder, 'run.jsonl'),
      },
      ...changes,
    },
  };
}

async function follow(
  options: RunOptions,
): Promise<{ readonly told: readonly RunEvent[]; readonly end: unknown }> {
  const running = run(options);
  const told: RunEvent[] = [];
  const end = running.catch((error: unknown) => error);
  try {
    for await (const event of running) told.push(event);
  } catch {
    // The same error as `end`.
  }
  return { told, end: await end };
}

const textOf = (told: readonly RunEvent[]): string =>
  told.map((event) => inspect(event, { depth: 9 })).join('\n');

it('keeps every planted secret out of every sink of a run that fails', { timeout: 240_000 }, async () => {
  const { folder, events, shown, options } = prepare(ALL, 'cat "$F" >&2; exit 3');
  const { told, end } = await follow(options);
  expect(end).toSatisfy(AgentError.isInstance);
  expectNoSecret('the events', textOf(told));
  expectNoSecret('the callback', events.join('\n'));
  expectNoSecret('the live view', shown.join(''));
  expectNoSecret('the error', inspect(end, { depth: 9 }));
  expectNoSecret('the error as JSON', JSON.stringify(errorToJson(end)));
  for (const [name, text] of filesOf(folder)) expectNoSecret(name, text);
  expect(readdirSync(folder).toSorted()).toEqual(['run.jsonl', 'run.log']);
});

it(
  'keeps them out of an error that quotes the answer, and out of the outcomes',
  { timeout: 240_000 },
  async () => {
    const output = Output.object({ tag: 'result', schema: z.object({ n: z.number() }) });
    const answer = `<result>${JSON.stringify({ n: ALL, [ALL]: 1 })}</result>`;
    const { folder, options } = prepare(answer, '', { output });
    const { told, end } = await follow(options);
    if (!StructuredOutputError.isInstance(end)) throw end;
    expect(end.rawMatched).toHaveLength(answer.length - '<result></result>'.length);
    expectNoSecret('the error', inspect(end, { depth: 9 }));
    expectNoSecret('the error as JSON', JSON.stringify(errorToJson(end)));
    expectNoSecret('the events', textOf(told));
    for (const [name, text] of filesOf(folder)) expectNoSecret(name, text);
  },
);

it(
  'keeps them out of the evidence of an aborted run, and leaves the reason of the caller alone',
  { timeout: 240_000 },
  async () => {
    const stopping = new AbortController();
    const reason = new Error(`stopped: ${DECLARED}`);
    const sinks = prepare(ALL, 'sleep 60', { signal: stopping.signal });
    const running = run(sinks.options);
    const failed = running.catch((error: unknown) => error);
    for await (const event of running) {
      if (event.type === 'text') {
        stopping.abort(reason);
        break;
      }
    }
    expect(await failed).toBe(reason);
    expect(reason.message).toContain(DECLARED);
    const names = filesOf(sinks.folder).map(([name]) => name);
    expect(names).toContain('run.log.evidence.json');
    for (const [name, text] of filesOf(sinks.folder)) expectNoSecret(name, text);
  },
);

it('returns an answer with secrets unaltered, and warns of their places', { timeout: 240_000 }, async () => {
  const output = Output.object({ tag: 'result', schema: z.object({ all: z.string(), ok: z.string() }) });
  const answer = { all: ALL, ok: 'fine' };
  const { folder, options } = prepare(`<result>${JSON.stringify(answer)}</result>`, '', { output });
  const result = await run({ ...options, output });
  expect(result.output).toEqual(answer);
  expect(result.provenance.raw).toBe(JSON.stringify(answer));
  expect(result.warnings).toEqual([expect.stringMatching(/^secret-in-output: .*`\/all`/u)]);
  for (const [name, text] of filesOf(folder)) expectNoSecret(name, text);
  expectNoSecret('the warnings', result.warnings.join('\n'));
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

it('refuses an answer with a secret if the policy is `refuse`', { timeout: 240_000 }, async () => {
  const output = Output.object({ tag: 'result', schema: z.object({ key: z.string() }) });
  const { options } = prepare(`<result>{"key":"${FROM_FILE}"}</result>`, '', {
    output,
    policies: { secretsInOutput: 'error' },
  });
  const { end } = await follow(options);
  expect(end).toMatchObject({ name: 'StructuredOutputError', code: 'secret-in-output' });
  expect(inspect(end, { depth: 9 })).toContain('`/key`');
  expectNoSecret('the error', inspect(end, { depth: 9 }));
});

it('writes logs in which a terminal obeys nothing', { timeout: 240_000 }, async () => {
  const steering = '\u001B]52;c;cHduZWQ=\u0007\u001B[2J\u009B31mred\r\u202Eback';
  const { folder, options } = prepare(`${steering}\nnext\ttab\n`);
  await run(options);
  const log = readFileSync(join(folder, 'run.log'), 'utf8');
  expect(log).toContain(String.raw`\x1b]52;c;cHduZWQ=\x07\x1b[2J\x9b31mred\x0d\u202eback`);
  expect(log).toContain('next\ttab\n');
  expect(log).not.toMatch(/[^\P{Cc}\n\t]|[\u202A-\u202E]/u);
});
