/** Tests of `truecast compare` as a process: models and an agent, thresholds, kill and resume. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { Comparison } from '../../packages/cli/src/compare/comparison.ts';
import { MAIN, makeRepository, temporaryFolder, truecast } from './cli-fixture.ts';

const ADDING_AGENT =
  String.raw`command:sh -c 'p=$(cat); n=\${p#*number }; echo "<result>{\"answer\":\${n%% *}}</result>"'`.replaceAll(
    String.raw`\${`,
    '${',
  );
const PROMPT = 'Repeat the number {{N}} as the answer.';

function writeInputs(folder: string, count: number): void {
  const lines = Array.from({ length: count }, (_, N) => JSON.stringify({ N, expected: { answer: N } }));
  writeFileSync(join(folder, 'items.jsonl'), `${lines.join('\n')}\n`);
}

it('compares models and an agent, and repeats no trial', async () => {
  const repo = makeRepository();
  writeInputs(repo, 3);
  await using server = await scriptedModelServer({
    script: ({ model, userText }) => {
      const number = /number (\d+)/u.exec(userText)?.[1] ?? '?';
      if (model === 'bad') return reply.text('No idea.');
      return reply.text(`{"answer":${model === 'wrong' ? 99 : number}}`);
    },
  });
  writeFileSync(
    join(repo, 'models.yaml'),
    `endpoints:\n${['good', 'wrong'].map((name) => `  ${name}: { endpoint: ${server.openaiUrl}, model: ${name}, prices: { input_usd_per_million: 1, output_usd_per_million: 2 } }\n`).join('')}`,
  );
  const shared = [
    'compare',
    '--inputs',
    'items.jsonl',
    '--schema',
    '../s.json',
    '--out',
    'result',
    '--quiet',
  ];
  const models = [
    '--models',
    'models.yaml',
    '--model',
    'good',
    '--model',
    'wrong',
    '--model',
    `${server.openaiUrl}#bad`,
  ];
  const args = [
    ...shared,
    ...models,
    '--agent',
    ADDING_AGENT,
    '--sandbox',
    'none',
    PROMPT,
    '--max-corrections',
    '1',
  ];
  const first = await truecast(repo, ...args, '--repeat', '1', '--json', '--min-right', '0.5');
  expect(first.exitCode, first.stderr).toBe(1);
  expect(first.stderr).toContain('Missed: bad: 0 % (0–56) right; expected at least 50 %.');
  const comparison: Comparison = JSON.parse(first.stdout);
  expect(comparison).toMatchObject({ items: 3, isWeak: true });
  const rates = comparison.rows.map(({ contestant, firstTry, right }) => [
    contestant.slice(0, 7),
    firstTry.successes,
    right?.successes,
  ]);
  expect(rates).toEqual([
    ['bad', 0, 0],
    ['command', 3, 3],
    ['good', 3, 3],
    ['wrong', 3, 0],
  ]);
  expect(comparison.rows[0]).toMatchObject({ retries: { 'invalid-json': 3 } });
  expect(comparison.rows[2]?.costUsdPerValid).toBeGreaterThan(0);
  expect(JSON.parse(readFileSync(join(repo, 'result/compare.json'), 'utf8'))).toEqual(comparison);
  expect(readFileSync(join(repo, 'result/compare.html'), 'utf8')).toContain('wrong: {&quot;answer&quot;:99}');
  const calls = server.requests.length;
  const second = await truecast(repo, ...args, '--repeat', '1');
  expect(second).toMatchObject({
    exitCode: 0,
    stderr: '· sandbox: none; the agent has all rights of this user',
  });
  expect(second.stdout).toMatch(/^good +3 +100 % \(44–100\)/mu);
  expect(server.requests).toHaveLength(calls);
  await truecast(repo, ...args, '--repeat', '2');
  expect(server.requests).toHaveLength(calls * 2);
});

it('continues after a kill, and stores each trial once', async () => {
  const folder = temporaryFolder();
  writeInputs(folder, 12);
  await using server = await scriptedModelServer({
    script: async ({ userText }) => {
      await sleep(20);
      return reply.text(`{"answer":${/number (\d+)/u.exec(userText)?.[1]}}`);
    },
  });
  const model = `${server.openaiUrl}#tiny`;
  const args = [
    'compare',
    '--inputs',
    'items.jsonl',
    '--schema',
    's.json',
    '--model',
    model,
    '--repeat',
    '1',
    PROMPT,
  ];
  const child = execa(process.execPath, [MAIN, ...args], {
    cwd: folder,
    reject: false,
    env: { HOME: folder },
  });
  for await (const line of child.iterable({ from: 'stderr' })) {
    if (line.startsWith('3/12 ')) child.kill('SIGKILL');
  }
  await child;
  const before = server.requests.length;
  const ended = await truecast(folder, ...args, '--json', '--min-valid', '1');
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(JSON.parse(ended.stdout).rows).toMatchObject([
    { valid: { successes: 12, trials: 12 }, right: { rate: 1 } },
  ]);
  const keys = readFileSync(join(folder, 'compare/results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly key: string }).key);
  expect(new Set(keys).size).toBe(12);
  expect(keys).toHaveLength(12);
  // Only the trial that ran during the kill is asked for again.
  expect(server.requests.length - before).toBeLessThanOrEqual(9);
});

it('refuses a comparison that cannot be one before any trial', async () => {
  const folder = temporaryFolder();
  writeInputs(folder, 1);
  const args = ['compare', '--inputs', 'items.jsonl', '--schema', 's.json'];
  const cases = [
    [[PROMPT], 'Expected contestants, got none'],
    [['--model', 'qwen', PROMPT], 'Expected `--model` to be `http://…/v1#model`, got `qwen`'],
    [['--model', 'http://127.0.0.1:9/v1#m', 'Is it {{expected}}?'], 'the right answer of an input'],
    [['--model', 'http://127.0.0.1:9/v1#m', 'Is it {{other}}?'], 'has no such key'],
    [['--model', 'http://127.0.0.1:9/v1#m', '--mode', 'mcp', PROMPT], 'Expected `--mode` of a model'],
    [['--model', 'http://127.0.0.1:9/v1#m', '--model', 'http://127.0.0.1:8/v1#m', PROMPT], 'are named `m`'],
  ] as const;
  // In turn: the worker runs one command at a time, and starts a program for each further one.
  for (const [more, message] of cases) {
    const ended = await truecast(folder, ...args, ...more);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) });
  }
});
