/** Tests of the real `truecast runs` with a real server, whose agent is a program that prints the lines of Claude Code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { printResult, printText, writeFakeClaude } from '../fake-claude.ts';
import { git, makeRepository, temporaryFolder, truecast } from './cli-fixture.ts';
import { serve, start } from './serve-fixture.ts';

/**
 * Commits its prompt. It answers 42, and a prompt with `wrong` with a text. One with `slow` waits for the
 * end.
 */
const CLAUDE = `prompt=$(cat)
${printText('I count.\n')}
echo "$prompt" > work.txt && git add work.txt && git commit -q -m work >&2
case "$prompt" in
  *slow*) sleep 600 ;;
  *wrong*) ${printResult({ structured_output: { answer: 'x' } })} ;;
  *) ${printResult({ structured_output: { answer: 42 } })} ;;
esac`;

const PATIENCE = { timeout: 120_000 };
const lineSchema = z.looseObject({ line: z.number() });
const viewSchema = z.object({ id: z.string(), status: z.string() });

async function world() {
  const cwd = temporaryFolder();
  const repository = makeRepository();
  const config = {
    repositories: { web: { path: repository } },
    runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
  };
  writeFileSync(join(cwd, 'truecast.config.ts'), `export default ${JSON.stringify(config)};\n`);
  const server = await serve(cwd, ['--model', 'scripted:demo'], {
    PATH: writeFakeClaude(temporaryFolder(), CLAUDE),
  });
  const runs = (...args: readonly string[]) => truecast(cwd, 'runs', ...args);
  const create = (prompt: string, ...args: readonly string[]) =>
    runs('create', prompt, '--repository', 'web', '--agent', 'claude-code', '--schema', 's.json', ...args);
  return { cwd, repository, server, runs, create };
}

describeInBubblewrap('truecast runs', () => {
  it('prints the answer, the work and the failure of runs, as `truecast run` does', async () => {
    const { repository, server, runs, create } = await world();
    await using _server = server;

    const answered = await create('Count.', '--wait');
    expect(answered, answered.stderr).toMatchObject({ stdout: '{\n  "answer": 42\n}', exitCode: 0 });
    expect(answered.stderr).toContain('I count.');
    const [, id = '', branch = ''] = /^run (\S+)$[^]*1 commit on (\S+)/mu.exec(answered.stderr) ?? [];
    expect(branch).toBe(`truecast/runs/${id}`);
    expect(await git(repository, 'show', `${branch}:work.txt`)).toContain('Count.');
    expect(await git(repository, 'status', '--porcelain')).toBe('');

    const wrong = await create('Count wrong.', '--wait', '--json', '--max-corrections', '0');
    expect(wrong.exitCode, wrong.stderr).toBe(3);
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      error: {
        code: 'structured-output-not-produced',
        reason: 'schema_mismatch',
        receipt: { status: 'failed', commits: [expect.any(String)] },
      },
    });

    const slow = viewSchema.parse(JSON.parse((await create('Count slow.', '--json')).stdout));
    await expect
      .poll(async () => (await runs('show', slow.id)).stdout, PATIENCE)
      .toMatch(/running, working/u);
    expect((await runs('cancel', slow.id)).exitCode).toBe(0);
    const watched = await runs('watch', slow.id);
    expect(watched).toMatchObject({ stdout: '', exitCode: 1 });
    expect(watched.stderr).toMatch(/The work is kept: 1 commits on truecast\/runs\//u);

    const listed = await runs('list');
    expect(
      listed.stdout
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ {2,}/u)[1]),
    ).toEqual(['canceled', 'failed', 'succeeded']);
    const retried = await runs('retry', id, '--wait', '--quiet');
    expect(retried).toMatchObject({ stdout: '{\n  "answer": 42\n}', exitCode: 0 });

    const continued = await runs('continue', id, 'Count again.', '--wait', '--quiet');
    expect(continued).toMatchObject({ stdout: '{\n  "answer": 42\n}', exitCode: 0 });

    const unknown = await runs('create', 'Count.', '--repository', 'x', '--agent', 'claude-code');
    expect(unknown.stderr).toMatch(/repository/u);
    expect(unknown.exitCode).not.toBe(0);
  });
});

describeInBubblewrap('truecast runs batch', () => {
  it('ends each input once, also when it is started again and from another file', async () => {
    const { cwd, server, runs } = await world();
    await using _server = server;
    const inputs = ['one', 'wrong', 'two'].map((TITLE, id) => JSON.stringify({ id, TITLE }));
    writeFileSync(join(cwd, 'in.jsonl'), inputs.join('\n'));
    const request = ['--repository', 'web', '--agent', 'claude-code', '--schema', 's.json'];
    const more = [...request, '--max-corrections', '0'];
    const batch = (out: string) =>
      runs('batch', 'Count {{TITLE}}.', '--inputs', 'in.jsonl', '--out', out, ...more);
    const read = (out: string) =>
      readFileSync(join(cwd, out), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => lineSchema.parse(JSON.parse(line)))
        .toSorted((one, other) => one.line - other.line);

    const first = await batch('a.jsonl');
    expect(first.exitCode, first.stderr).toBe(1);
    expect(first.stderr).toMatch(/2 ok · 1 failed/u);
    const lines = read('a.jsonl');
    expect(lines).toMatchObject([
      { id: 0, line: 1, status: 'ok', output: { answer: 42 }, commits: [{ sha: expect.any(String) }] },
      { id: 1, status: 'failed', error: { code: 'structured-output-not-produced' } },
      { id: 2, status: 'ok' },
    ]);
    // A second start adds no run, and the other file gets the same results.
    const again = await batch('a.jsonl');
    expect(again.stderr).toMatch(/0 ok · 0 failed · 2 finished earlier · 1 failed earlier/u);
    expect((await batch('b.jsonl')).exitCode).toBe(1);
    expect(read('b.jsonl')).toEqual(lines);
    expect((await runs('list')).stdout.trimEnd().split('\n')).toHaveLength(4);

    // Ctrl+C stops the waiting alone.
    writeFileSync(join(cwd, 'slow.jsonl'), '{"TITLE":"slow"}');
    const words = [
      'runs',
      'batch',
      'Count {{TITLE}}.',
      '--inputs',
      'slow.jsonl',
      '--out',
      'c.jsonl',
      ...more,
    ];
    await using waiting = start(cwd, words);
    const [, id = ''] = await waiting.until(/^batch (\S+) \(/mu);
    await expect.poll(async () => (await runs('list')).stdout, PATIENCE).toMatch(/running/u);
    expect(await waiting.end('SIGINT'), waiting.said()).toBe(130);
    expect(waiting.said()).toContain(`runs cancel-batch ${id}`);
    expect((await runs('list')).stdout).toMatch(/running/u);
    expect((await runs('cancel-batch', id)).exitCode).toBe(0);
    await expect.poll(async () => (await runs('list')).stdout, PATIENCE).not.toMatch(/running|canceling/u);
    expect((await truecast(cwd, ...words)).exitCode).toBe(1);
    expect(read('c.jsonl')).toMatchObject([{ status: 'failed', error: { code: 'canceled' } }]);
  });
});
