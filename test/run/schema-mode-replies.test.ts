/** Tests of schema modes: programs print what Claude Code and Codex were seen to print. */
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { claudeCode, codex, noSandbox, Output, run } from '../../packages/truecast/src/index.ts';
import { makeRepository, temporaryFolder } from './fixture.ts';

const output = Output.object({
  schema: z.object({ color: z.string(), count: z.number() }),
  mode: 'native',
});
const BLUE = { color: 'blue', count: 4 };
const PROGRESS = { color: 'will run pwd', count: 0 };

/** Runs an agent whose program prints these lines. */
async function answerOf(name: 'claude' | 'codex', lines: readonly object[]): Promise<unknown> {
  const folder = temporaryFolder();
  const printed = lines.map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(join(folder, name), `#!/bin/sh\ncat >/dev/null\ncat <<'END'\n${printed}\nEND\n`);
  chmodSync(join(folder, name), 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
  const agent = name === 'claude' ? claudeCode() : codex();
  const { output: value, provenance } = await run({
    cwd: makeRepository(),
    agent,
    sandbox: noSandbox(),
    prompt: 'Which color?',
    output,
  });
  return [value, provenance.repairs.map(({ kind }) => kind)];
}

const said = (text: string): object => ({ type: 'item.completed', item: { type: 'agent_message', text } });
const ran: object = {
  type: 'item.completed',
  item: { id: 'i1', type: 'command_execution', command: 'pwd', aggregated_output: '/x', exit_code: 0 },
};
const started = { type: 'thread.started', thread_id: '11111111-2222-4333-8444-555555555555' };
const completed = { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } };

it('a progress message of codex in the form of the schema is not its answer', async () => {
  const progress = said(JSON.stringify(PROGRESS));
  await expect(answerOf('codex', [started, progress, ran, completed])).rejects.toMatchObject({
    code: 'not-produced',
  });
  expect(await answerOf('codex', [started, progress, ran, said(JSON.stringify(BLUE)), completed])).toEqual([
    BLUE,
    [],
  ]);
});

it('the submission of claude that its result lacks is its answer, labelled', async () => {
  const submission = {
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 't1', name: 'StructuredOutput', input: BLUE }] },
    parent_tool_use_id: null,
  };
  const result = { type: 'result', subtype: 'success', is_error: false, result: '' };
  expect(await answerOf('claude', [submission, result])).toEqual([BLUE, ['answer-in-tool-call']]);
  expect(await answerOf('claude', [submission, { ...result, structured_output: BLUE }])).toEqual([BLUE, []]);
});
