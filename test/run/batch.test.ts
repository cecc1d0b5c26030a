/** Tests of `runBatch()` with real git and real programs as agents. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BatchOptions, BatchProgress } from '../../packages/truecast/src/run/batch/batch-options.ts';
import type {
  BatchItem,
  BatchQueue,
  BatchResult,
} from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { LimitError } from '../../packages/core/src/errors/limit-error.ts';
import { answerOutput, git, makeRepository, temporaryFolder } from './fixture.ts';

/** Answers with the number in the prompt. `fail` in the prompt makes it fail. */
const ECHO = `prompt=; while IFS= read -r line || [ -n "$line" ]; do prompt="$prompt$line "; done
case "$prompt" in *fail*) exit 3;; esac
number=\${prompt##*number }; echo "<result>{\\"answer\\":\${number%%[!0-9]*}}</result>"`;

function agent(script: string = ECHO): BatchOptions['agent'] {
  return command({ command: ['sh', '-c', script] });
}

function batchOptions(changes: Partial<BatchOptions> = {}): BatchOptions {
  return {
    agent: agent(),
    sandbox: noSandbox(),
    cwd: changes.cwd ?? makeRepository(),
    prompt: 'Say number {{N}} in <result>.',
    output: answerOutput,
    ...changes,
  };
}

function inputsFile(...lines: readonly unknown[]): string {
  const path = join(temporaryFolder(), 'items.jsonl');
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return path;
}

function readResults(path: string): BatchResult[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BatchResult);
}

it('answers each input, and keeps a line for each', async () => {
  const out = join(temporaryFolder(), 'out.jsonl');
  const inputs = inputsFile({ id: 'a', N: 1 }, { id: 'b', N: 2 }, { id: 'c', N: 3 });
  const summary = await runBatch(batchOptions({ inputs, out }));
  expect(summary).toMatchObject({ ok: 3, failed: 0, okEarlier: 0, failedEarlier: 0, total: 3 });
  expect(summary.elapsedMs).toSatisfy(Number.isInteger);
  const results = readResults(out).toSorted((a, b) => a.line - b.line);
  expect(results).toMatchObject([
    { id: 'a', line: 1, status: 'ok', output: { answer: 1 }, commits: [], provenance: { mode: 'tag' } },
    { id: 'b', line: 2, status: 'ok', output: { answer: 2 } },
    { id: 'c', line: 3, status: 'ok', output: { answer: 3 } },
  ]);
  expect(new Set(results.map(({ key }) => key)).size).toBe(3);
});

it('runs missing and changed inputs on a restart, and failed ones only with `retryFailed`', async () => {
  const cwd = makeRepository();
  const out = join(temporaryFolder(), 'out.jsonl');
  const first = inputsFile({ N: 1 }, { N: 2, x: 'fail' }, { N: 3 });
  const prompt = 'Say number {{N}} in <result>. {{x}}';
  const withX = inputsFile({ N: 1, x: '' }, { N: 2, x: 'fail' });
  await expect(runBatch(batchOptions({ cwd, inputs: first, out, prompt }))).rejects.toThrow('Input 1:');
  expect(await runBatch(batchOptions({ cwd, inputs: withX, out, prompt }))).toMatchObject({
    ok: 1,
    failed: 1,
  });

  const second = inputsFile({ x: '', N: 1 }, { N: 2, x: 'fail' }, { N: 4, x: '' });
  expect(await runBatch(batchOptions({ cwd, inputs: second, out, prompt }))).toMatchObject({
    ok: 1,
    failed: 0,
    okEarlier: 1,
    failedEarlier: 1,
  });
  expect(await runBatch(batchOptions({ cwd, inputs: second, out, prompt, retryFailed: true }))).toMatchObject(
    {
      ok: 0,
      failed: 1,
      okEarlier: 2,
      failedEarlier: 0,
    },
  );
  expect(readResults(out)).toHaveLength(4);
  expect(
    await runBatch(batchOptions({ cwd, inputs: second, out, prompt: `${prompt} Please.` })),
  ).toMatchObject({ ok: 2, failed: 1, okEarlier: 0 });
});

it('repairs a last line that a crash cut off, and does its item again', async () => {
  const cwd = makeRepository();
  const out = join(temporaryFolder(), 'out.jsonl');
  const inputs = inputsFile({ N: 1 }, { N: 2 });
  await runBatch(batchOptions({ cwd, inputs, out, concurrency: 1 }));
  const [one = '', two = ''] = readFileSync(out, 'utf8').split('\n');
  writeFileSync(out, `${one}\n${two.slice(0, -20)}`);
  expect(await runBatch(batchOptions({ cwd, inputs, out }))).toMatchObject({ ok: 1, okEarlier: 1 });
  expect(readResults(out)).toMatchObject([{ line: 1 }, { line: 2 }]);

  writeFileSync(out, `${one}\n${two}`);
  expect(await runBatch(batchOptions({ cwd, inputs, out }))).toMatchObject({ ok: 0, okEarlier: 2 });
  expect(readResults(out)).toHaveLength(2);
});

it('refuses a file that contains no results, and leaves it unchanged', async () => {
  const out = join(temporaryFolder(), 'notes.txt');
  writeFileSync(out, 'my notes\nmore\n');
  await expect(runBatch(batchOptions({ inputs: inputsFile({ N: 1 }), out }))).rejects.toThrow(
    'line 1 is invalid',
  );
  expect(readFileSync(out, 'utf8')).toBe('my notes\nmore\n');
});

it.each([
  ['[1]', 'Input 2: expected a JSON object, got'],
  ['{"N":1', 'got invalid JSON'],
  [String.raw`{"N":1,"\u004e":2}`, 'occurs twice in one object'],
  ['{"N":1,"x":{"a":1,"b":[{"a":1}],"a":2}}', 'occurs twice'],
  ['{"M":1}', 'the prompt contains `{{N}}`'],
  ['{"N":1,"SOURCE_BRANCH":"x"}', '`SOURCE_BRANCH` is set by the run'],
  [String.raw`{"N":"\ud800"}`, 'lone surrogate'],
])('refuses the input %s with its line before anything is run', async (line, message) => {
  const cwd = makeRepository();
  const failure = runBatch(batchOptions({ cwd, inputs: inputsFile({ N: 1 }, line) }));
  await expect(failure).rejects.toThrow(UsageError);
  await expect(failure).rejects.toThrow('Input 2:');
  await expect(failure).rejects.toThrow(message);
  expect(git(cwd, 'status', '--porcelain', '--ignored')).toBe('');
});

it('takes values for text, whatever they say', async () => {
  const results: BatchResult[] = [];
  await runBatch(
    batchOptions({
      inputs: [{ N: 7, text: '{{N}} !`touch pwned` $(touch pwned)', list: [1, { a: 'b' }] }],
      prompt: 'number {{N}} <result> {{text}} {{list}}',
      agent: agent(String.raw`cat > prompt.txt; echo '<result>{"answer":1}</result>'`),
      onResult: (result) => void results.push(result),
    }),
  );
  const [result] = results;
  expect(readFileSync(join(result?.preservedWorktreePath ?? '', 'prompt.txt'), 'utf8')).toBe(
    'number 7 <result> {{N}} !`touch pwned` $(touch pwned) [1,{"a":"b"}]',
  );
});

it('runs exactly `concurrency` items in parallel', async () => {
  const running: number[] = [];
  await runBatch(
    batchOptions({
      inputs: Array.from({ length: 5 }, (_, N) => ({ N })),
      concurrency: 3,
      agent: agent(`sleep 0.3; ${ECHO}`),
      onProgress: (progress: BatchProgress) => void running.push(progress.running),
    }),
  );
  expect(Math.max(...running)).toBe(3);
});

it('gives each item its own branch, and keeps only branches with commits', async () => {
  const cwd = makeRepository();
  const commit = 'git commit -q --allow-empty -m work;';
  const results: BatchResult[] = [];
  await runBatch(
    batchOptions({
      cwd,
      inputs: [{ id: 'Ticket 7', N: 1 }, { N: 2 }],
      branchPrefix: 'triage/may',
      agent: agent(`case "$(git branch --show-current)" in *ticket*) ${commit} esac; ${ECHO}`),
      onResult: (result) => void results.push(result),
    }),
  );
  const branches = git(cwd, 'branch', '--format=%(refname:short)').split('\n');
  expect(branches).toEqual(['main', expect.stringMatching(/^triage\/may\/ticket-7-[0-9a-f]{6}$/u)]);
  expect(results.find(({ id }) => id === 'Ticket 7')).toMatchObject({
    branch: branches[1],
    commits: [{ sha: git(cwd, 'rev-parse', branches[1] ?? '') }],
  });
});

it('runs equal inputs as separate items', async () => {
  const out = join(temporaryFolder(), 'out.jsonl');
  const inputs = inputsFile({ N: 1 }, { N: 1 });
  const cwd = makeRepository();
  expect(await runBatch(batchOptions({ cwd, inputs, out }))).toMatchObject({ ok: 2 });
  expect(await runBatch(batchOptions({ cwd, inputs, out }))).toMatchObject({ ok: 0, okEarlier: 2 });
  const [first] = readFileSync(out, 'utf8').split('\n');
  writeFileSync(out, `${first}\n`);
  expect(await runBatch(batchOptions({ cwd, inputs, out }))).toMatchObject({ ok: 1, okEarlier: 1 });
});

it('bounds each run of a batch that only reads, and each of its steps', async () => {
  const errors: unknown[] = [];
  const summary = await runBatch({
    ...batchOptions({ readOnly: true, agent: agent('sleep 60') }),
    inputs: [{ N: 3 }],
    timeouts: { runMs: 1_000, gitSetupMs: 20_000 },
    onResult: (result) => void errors.push(result.status === 'failed' && result.error.name),
  });
  expect(summary).toMatchObject({ ok: 0, failed: 1 });
  expect(errors).toEqual(['LimitError']);
});

it('shares a worktree among items that only read, and gives the next a fresh one after an item that wrote', async () => {
  const cwd = makeRepository();
  const results: BatchResult<{ answer: number }>[] = [];
  const seen = join(temporaryFolder(), 'seen');
  const script = `ls -A >> '${seen}.files'; pwd >> '${seen}'; p=$(cat); case "$p" in
    *write*) echo x > left.txt;; *commit*) git commit -q --allow-empty -m w;; *fail*) exit 3;; esac
    echo '<result>{"answer":1}</result>'`;
  const summary = await runBatch({
    ...batchOptions({
      cwd,
      agent: agent(script),
      concurrency: 1,
      readOnly: true,
      prompt: 'In <result>: {{DO}}',
    }),
    output: answerOutput,
    inputs: ['read', 'read', 'write', 'read', 'commit', 'read', 'fail', 'read'].map((DO) => ({ DO })),
    onResult: (result) => void results.push(result),
  });
  expect(summary).toMatchObject({ ok: 7, failed: 1 });
  const paths = readFileSync(seen, 'utf8').trim().split('\n');
  const groups = paths.map((path) => [...new Set(paths)].indexOf(path));
  expect(groups).toEqual([0, 0, 0, 1, 1, 2, 2, 3]);
  expect(readFileSync(`${seen}.files`, 'utf8')).not.toContain('left.txt');
  for (const result of results) {
    expect(result.commits).toEqual([]);
    expect(result).not.toHaveProperty('branch');
    expect(result).not.toHaveProperty('preservedWorktreePath');
  }
  expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(git(cwd, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

it('a read-only batch outside of a repository reads one copy of the folder', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'n.txt'), '7');
  const results: BatchResult[] = [];
  const options = batchOptions({
    cwd,
    agent: agent(`cat > prompt.txt; echo "<result>{\\"answer\\":$(cat n.txt)}</result>"`),
    readOnly: true,
    inputs: [{ N: 1 }, { N: 2 }],
    onResult: (result) => void results.push(result),
  });
  expect(await runBatch(options)).toMatchObject({ ok: 2 });
  expect(results).toMatchObject([{ output: { answer: 7 } }, { output: { answer: 7 } }]);
  expect(readdirSync(cwd)).toEqual(['n.txt']);
});

const USAGE = `{"usage":{"inputTokens":100,"outputTokens":0,"cacheCreationInputTokens":0,"cacheReadInputTokens":0}}`;

it('ends when its budget is spent over all runs, those of earlier starts included', async () => {
  const cwd = makeRepository();
  const out = join(temporaryFolder(), 'out.jsonl');
  const spending = command({
    command: ['sh', '-c', `echo '${USAGE}'; echo '<result>{"answer":1}</result>'`],
    parse: (line) =>
      line.startsWith('{"usage"')
        ? { type: 'usage', ...(JSON.parse(line) as { usage: NonNullable<BatchResult['usage']> }) }
        : { type: 'text', text: line },
  });
  const inputs = inputsFile(...Array.from({ length: 6 }, (_, N) => ({ N })));
  const shared = { cwd, out, inputs, agent: spending, concurrency: 1 };
  const failure = runBatch(batchOptions({ ...shared, budget: { tokens: 250 } }));
  await expect(failure).rejects.toThrow(LimitError);
  await expect(failure).rejects.toMatchObject({ code: 'tokens' });
  expect(readResults(out)).toHaveLength(2);
  await expect(runBatch(batchOptions({ ...shared, budget: { tokens: 350 } }))).rejects.toThrow(
    'budget of 350',
  );
  expect(readResults(out)).toHaveLength(3);
});

it('rejects with the reason of its signal, and keeps finished results', async () => {
  const cwd = makeRepository();
  const out = join(temporaryFolder(), 'out.jsonl');
  const controller = new AbortController();
  const reason = new Error('enough');
  const inputs = inputsFile(...Array.from({ length: 6 }, (_, N) => ({ N })));
  const failure = runBatch(
    batchOptions({
      cwd,
      inputs,
      out,
      concurrency: 2,
      signal: controller.signal,
      onResult: () => controller.abort(reason),
    }),
  );
  await expect(failure).rejects.toBe(reason);
  const kept = readResults(out).length;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(4);
  expect(await runBatch(batchOptions({ cwd, inputs, out }))).toMatchObject({ ok: 6 - kept, okEarlier: kept });
});

it('ends at the first refusal that all items would meet', async () => {
  const failure = runBatch(
    batchOptions({ inputs: [{ N: 1 }, { N: 2 }], agent: command({ command: ['no-such-program-anywhere'] }) }),
  );
  await expect(failure).rejects.toThrow(UsageError);
});

it.each([
  [{ inputs: undefined }, '`inputs` and `queue`'],
  [{ inputs: [], promptFile: 'p.md' }, '`prompt` and `promptFile`'],
  [{ inputs: [], concurrency: 0 }, '`concurrency`'],
  [{ inputs: [], retryFailed: true }, '`retryFailed` needs `out`'],
  [
    { inputs: [], branchPrefix: 'a', readOnly: true },
    'Expected no `branchPrefix` for `runBatch()` with `readOnly`',
  ],
  [{ inputs: [], publish: 'pull-request', readOnly: true }, 'Expected no `publish`'],
  [{ inputs: [], branchPrefix: 'a b' }, 'valid branch name'],
  [{ inputs: [], timeouts: { idleMs: -1_000 } }, '`timeouts.idleMs`'],
])('refuses the options %j', async (changes, message) => {
  await expect(runBatch(batchOptions(changes as Partial<BatchOptions>))).rejects.toThrow(message);
});

it.each([
  ['in a repository', () => ({ cwd: makeRepository() })],
  ['outside of one', () => ({ cwd: temporaryFolder(), readOnly: true })],
])('lets only one batch at a time write to the same results %s', async (_title, place) => {
  const where = place();
  const out = join(temporaryFolder(), 'out.jsonl');
  const inputs = inputsFile({ N: 1 });
  let second: unknown;
  await runBatch(
    batchOptions({
      ...where,
      inputs,
      out,
      onResult: async () => {
        second = await runBatch(batchOptions({ ...where, inputs, out })).catch((error: unknown) => error);
      },
    }),
  );
  expect(second).toMatchObject({ code: 'locked' });
});

it('works on a queue of the caller, and gives back what it did not end', async () => {
  const items: BatchItem[] = [1, 2].map((N) => ({ key: `k${N}`, line: N, input: { N }, inputHash: 'h' }));
  const told: string[] = [];
  const queue: BatchQueue = {
    claim: () => Promise.resolve(items.shift()),
    complete: ({ key }) => Promise.resolve(void told.push(`complete ${key}`)),
    fail: ({ key }) => Promise.reject(new TypeError(`the database is gone at ${key}`)),
    release: ({ key }) => Promise.resolve(void told.push(`release ${key}`)),
  };
  await runBatch(batchOptions({ queue, concurrency: 1 }));
  expect(told).toEqual(['complete k1', 'complete k2']);
  items.push({ key: 'k3', line: 3, input: { N: 'fail' }, inputHash: 'h' });
  await expect(runBatch(batchOptions({ queue }))).rejects.toThrow('the database is gone at k3');
});

it('holds one line of its inputs at a time', async () => {
  const inputs = join(temporaryFolder(), 'many.jsonl');
  for (let block = 0; block < 10; block += 1) {
    appendFileSync(inputs, Array.from({ length: 1_000 }, (_, n) => `{"N":${block * 1_000 + n}}\n`).join(''));
  }
  const controller = new AbortController();
  let total: number | undefined;
  const failure = runBatch(
    batchOptions({
      inputs,
      signal: controller.signal,
      onProgress: (progress) => {
        total = progress.total;
        if (progress.ok > 0) controller.abort(new Error('enough'));
      },
    }),
  );
  await expect(failure).rejects.toThrow('enough');
  expect(total).toBe(10_000);
});
