/** Tests of `truecast report` and `truecast instructions` as processes. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRepository, temporaryFolder, truecast, type Ended } from './cli-fixture.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';

const SCHEMA = '../s.json';

function run(repo: string, answer: string): Promise<Ended> {
  const agent = `command:echo "<result>${answer}</result>"`;
  const flags = [
    '--sandbox',
    'none',
    '--prompt',
    'Answer in <result>.',
    '--tag',
    'result',
    '--schema',
    SCHEMA,
  ];
  return truecast(repo, 'run', '--agent', agent, ...flags);
}

it('reports how often answers were valid, and which agent missed the limit', async () => {
  const repo = makeRepository();
  await run(repo, '{\\"answer\\":1}');
  await run(repo, 'no');
  appendFileSync(join(stateFolderOf(repo), 'outcomes.jsonl'), '{"time":"20');

  const table = await truecast(repo, 'report');
  expect(table).toMatchObject({ exitCode: 0, stderr: '1 line could not be parsed and was skipped.' });
  expect(table.stdout).toMatch(
    /command +- +tag +result#[0-9a-f]{8} +2 +50 % \(9–91\) +50 % .*invalid-json 1$/mu,
  );

  const missed = await truecast(repo, 'report', '--min-first-try', '0.9', '--json');
  expect(missed.exitCode).toBe(1);
  expect(missed.stderr).toMatch(/Missed: command .*50 % of 2 answers .*expected at least 90 %/u);
  expect(JSON.parse(missed.stdout)).toMatchObject({
    summaries: [{ runs: 2, firstTry: 0.5, failures: { 'invalid-json': 1 } }],
    unreadableLines: 1,
    missed: [expect.stringContaining('command')],
  });
  expect((await truecast(repo, 'report', '--min-first-try', '0.5')).exitCode).toBe(0);
});

it('misses its bar where nothing was recorded in the time that counts', async () => {
  const repo = makeRepository();
  appendFileSync(
    join(repo, 'old.jsonl'),
    '{"time":"2020-01-01T00:00:00.000Z","code":"ok","attempts":1,"agent":"codex"}\n',
  );
  expect((await truecast(repo, 'report', 'old.jsonl', '--min-first-try', '1')).exitCode).toBe(0);
  const recent = await truecast(repo, 'report', 'old.jsonl', '--min-first-try', '1', '--since', '7d');
  expect(recent.exitCode).toBe(1);
  expect(recent.stderr).toContain('no answers are recorded');
});

it('refuses an invalid limit and an invalid duration', async () => {
  const folder = temporaryFolder();
  expect((await truecast(folder, 'report', '--min-first-try', '90')).exitCode).toBe(2);
  expect((await truecast(folder, 'report', '--since', 'yesterday')).exitCode).toBe(2);
});

it('prints the text to paste into a prompt', async () => {
  const folder = temporaryFolder();
  const { stdout, exitCode } = await truecast(
    folder,
    'instructions',
    '--schema',
    's.json',
    '--tag',
    'result',
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain('<result>{"answer":…}</result>');
  expect((await truecast(folder, 'instructions')).exitCode).toBe(2);
});
