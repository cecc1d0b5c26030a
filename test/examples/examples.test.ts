/** Runs the standalone examples as a user does. Each asserts its own result. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { fakeRunner, promptsOf, sayingAgent } from '../action/fake-runner.ts';
import { examplesFolder } from '../package/examples-folder.ts';
import { declarePrograms } from '../program-session.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';

const EXAMPLES = await examplesFolder();
const runProgram = declarePrograms();

async function runExample(
  path: string,
  env: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
  args: readonly string[] = [],
): Promise<string> {
  const { stdout, stderr, exitCode } = await runProgram({ file: join(EXAMPLES, path), args, env, cwd });
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

it('plays an ensemble of its own, offline, the same each time', async () => {
  const shown = await runExample('ensemble/two-fishers.ts');
  expect(shown).toMatch(/^scale: (ann|ben) was brief\.\nwinner: \1$/mu);
  expect(shown.match(/^(?:ann|ben): /gmu)).toHaveLength(6);
  expect(await runExample('ensemble/two-fishers.ts')).toBe(shown);
});

it('gets a typed answer from a local server, after one that was wrong', async () => {
  await using server = await scriptedModelServer({
    localServer: 'ollama',
    script: [
      reply.text('{"severity":"urgent","labels":[]}'),
      reply.text('{"severity":"high","labels":["crash","parser"]}'),
    ],
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'qwen3:8b' };
  expect(await runExample('local-model/triage.ts', env)).toMatch(
    /^high: crash, parser\nmode native, asked 2 times, \d+ tokens written$/u,
  );
});

it('asks a chat server in its own Hono app, after an answer that was wrong', async () => {
  await using server = await scriptedModelServer({
    script: [reply.text('{"team":"sales","urgent":true}'), reply.text('{"team":"resend","urgent":true}')],
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'scripted', ANTHROPIC_API_KEY: '' };
  const shown = await runExample('hono-server/server.ts', env);
  expect(shown.split('\n')).toEqual(["{ team: 'resend', urgent: true }", '1 chat is stored']);
  expect(server.turns).toHaveLength(2);
});

it('reviews a pull request as a step of a workflow', async () => {
  const folder = join(EXAMPLES, 'review-pull-request');
  const steps = parse(readFileSync(join(folder, 'review.yml'), 'utf8')).jobs.review.steps;
  const inputs = z.record(z.string(), z.coerce.string()).parse(steps[1].with);
  const runner = fakeRunner({ pull_request: { number: 7, title: 'Count', body: 'To ten' } });
  const base = git(runner.repo, 'rev-parse', 'HEAD');
  cpSync(folder, join(runner.repo, '.github/review'), { recursive: true });
  git(runner.repo, 'add', '-A');
  git(runner.repo, 'commit', '-q', '-m', 'review');
  const value = { findings: [{ file: 'a.txt', line: 1, severity: 'high', message: 'Wrong.' }] };
  const agent = sayingAgent(runner, `<result>${JSON.stringify(value)}</result>`);
  const args = inputs['args']?.replace(/\$\{\{.*\}\}/u, base) ?? '';
  // An agent of a shell reports no cost.
  const ended = await runner.step({ ...inputs, agent, args, 'budget-usd': '' });
  expect(ended.outputs['status'], ended.log).toBe('valid');
  expect(JSON.parse(ended.outputs['value'] ?? '')).toEqual(value);
  expect(promptsOf(runner)).toMatch(/Count[\s\S]*To ten[\s\S]*review\.yml/u);
});

it('uses each element of a list when it is valid, after one that was wrong', async () => {
  const list = (...people: readonly string[]): string =>
    JSON.stringify({ output: people.map((who, index) => ({ who, task: `task ${index}` })) });
  await using server = await scriptedModelServer({
    localServer: 'llama.cpp',
    chunkChars: 4,
    script: [reply.text(list('Ann', 'Both', 'Ben')), reply.text(list('Ann', 'Ben', 'Ann', 'Ben'))],
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'qwen3:8b' };
  expect((await runExample('elements/tasks.ts', env)).split('\n')).toEqual([
    'Ann: task 0',
    'Ben: task 1',
    'Ann: task 2',
    'Ben: task 3',
    '4 tasks, asked 2 times',
  ]);
});

it('looks things up with tools before a typed answer', async () => {
  await using server = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: [
      reply.tool('articles', {}),
      (turn) => {
        const articles = JSON.parse(turn.lastToolResult?.text ?? '[]') as string[];
        return reply.steps(articles.map((article) => reply.tool('stock', { article })));
      },
      reply.tool('submit_structured_output', { output: { article: 'rope', days: 5 } }),
    ],
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'qwen3:8b' };
  expect((await runExample('tools/stock.ts', env)).split('\n')).toEqual([
    'worked articles',
    'worked stock, stock',
    'accepted ',
    'rope in 5 days, after 3 steps',
  ]);
});

it('lands the branches of agents that are right together, and keeps the one that is not', async () => {
  const cwd = makeRepository();
  const numbers = 'for name in login logout; do grep -q "the $name" prompt && echo 60 > $name.num; done';
  const shown = await runExample(
    'merge-queue/land.ts',
    {
      TRUECAST_AGENT_COMMAND: `cat > prompt; ${numbers}; grep -q guide prompt && echo read > guide.md; rm prompt; git add -A && git commit -q -m work`,
      TRUECAST_CHECK_COMMAND: `awk '{ s += $1 } END { exit s > 100 }' a.txt *.num`,
    },
    cwd,
  );
  expect(shown.replaceAll(/ [0-9a-f]{40}$/gmu, '').split('\n')).toEqual([
    'landed agent/login',
    'landed agent/guide',
    'kept agent/logout check-failed',
  ]);
  expect(git(cwd, 'branch', '--format=%(refname:short)').split('\n')).toEqual(['agent/logout', 'main']);
});

it('works on several repositories in one batch, and continues it', async () => {
  const [one, two] = [makeRepository('one'), makeRepository('two')];
  const env = {
    TRUECAST_AGENT_COMMAND: `cat > /dev/null; cp .truecast-attachments-*/1-notes.md notes.txt && git add -A && git commit -q -m notes`,
    TRUECAST_RESULTS: join(temporaryFolder(), 'updates.jsonl'),
  };
  const shown = await runExample('several-repositories/update.ts', env, one, [one, two]);
  expect(shown.split('\n').toSorted()).toEqual([
    '2 updated, 0 failed, 0 earlier',
    'one ok main',
    'two ok main',
  ]);
  expect(git(two, 'show', 'main:notes.txt')).toBe('Notes about "two"');
  const again = await runExample('several-repositories/update.ts', env, one, [one, two]);
  expect(again).toBe('0 updated, 0 failed, 2 earlier');
});

it('gives an agent files that are no part of its commits', async () => {
  const cwd = makeRepository();
  const report = join(temporaryFolder(), 'report.txt');
  writeFileSync(report, 'The list is empty');
  const agent = `cat > /dev/null; echo fixed > fix.txt; git add -A && git commit -q -m fix; echo "<result>{\\"title\\":\\"$(cat .truecast-attachments-*/1-report.txt)\\"}</result>"`;
  const shown = await runExample('attachments/read-report.ts', { TRUECAST_AGENT_COMMAND: agent }, cwd, [
    report,
  ]);
  expect(shown).toBe('The list is empty 1');
  expect(git(cwd, 'ls-files').split('\n')).toEqual(['a.txt', 'fix.txt']);
});

it('gives a task of a model of the AI SDK to an agent, and returns its report and commit', async () => {
  const cwd = makeRepository();
  await using server = await scriptedModelServer({
    script: [
      reply.tool('codingTask', { task: 'Give the README a title.' }),
      (turn) => reply.text(`Done: ${turn.lastToolResult?.text ?? ''}`),
    ],
  });
  const report = '{"summary":"a title","files":["README.md"]}';
  const shown = await runExample(
    'agent-tool/delegate.ts',
    {
      TRUECAST_BASE_URL: server.openaiUrl,
      TRUECAST_MODEL: 'scripted',
      TRUECAST_AGENT_COMMAND: `grep -q 'Give the README a title' && echo '# Title' > README.md && git add -A && git commit -q -m title && echo '<report>${report}</report>'`,
    },
    cwd,
  );
  const [result = '', text = ''] = shown.split('\n');
  const said: unknown = JSON.parse(result);
  expect(said).toMatchObject({ summary: 'a title', files: ['README.md'], commits: 1 });
  expect(JSON.parse(text.replace('Done: ', ''))).toEqual(said);
  expect(git(cwd, 'log', '--all', '--format=%s')).toContain('title');
});

it('asks a person, and merges the work before and after the answer', async () => {
  const cwd = makeRepository();
  const commit = (name: string): string => `echo 1 > ${name} && git add ${name} && git commit -q -m ${name}`;
  const question = '{"question":{"text":"Which database?"}}';
  const answer = '{"answer":{"database":"postgres"}}';
  const agent = `if grep -q 'Use Postgres'; then ${commit('rest')}; echo '<setup>${answer}</setup>'; else ${commit('half')}; echo '<setup>${question}</setup>'; fi`;
  const env = { TRUECAST_AGENT_COMMAND: agent };
  const shown = await runExample('ask-person/ask-person.ts', env, cwd, ['Use Postgres.']);
  expect(shown).toBe('asked: Which database?\nmerged into main: postgres');
  expect(git(cwd, 'log', '--format=%s', 'main').split('\n')).toEqual(['rest', 'half', 'begin']);
});

it('sorts an issue with one agent, and fixes a bug with another', async () => {
  const agent = (triage: string): string =>
    `prompt=$(cat); case "$prompt" in *'Sort this issue'*) echo x > note; echo '<triage>${triage}</triage>';; *) echo fixed > a.txt; git commit -qam fix; echo '<fix>{"summary":"Counts from one"}</fix>';; esac`;
  const cwd = makeRepository();
  const bug = { TRUECAST_AGENT_COMMAND: agent('{"kind":"bug","file":"a.txt","severity":"high"}') };
  expect(await runExample('two-agents/triage.ts', bug, cwd, ['It counts from zero'])).toBe(
    'bug in a.txt, high\nCounts from one: 1 commit on main',
  );
  expect(git(cwd, 'log', '--format=%s', 'main').split('\n')).toEqual(['fix', 'begin']);
  expect(git(cwd, 'show', 'main:a.txt')).toBe('fixed');
  const wish = { TRUECAST_AGENT_COMMAND: agent('{"kind":"wish"}') };
  expect(await runExample('two-agents/triage.ts', wish, cwd, ['A dark theme'])).toBe(
    'wish: left to a person',
  );
  expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
});

it('extracts numbers that add up, after some that did not', async () => {
  const invoice = (totalCents: number): string =>
    JSON.stringify({
      number: '4711',
      date: '2026-03-03',
      currency: 'EUR',
      lines: [
        { what: 'rope', cents: 2_500 },
        { what: 'lantern', cents: 4_000 },
      ],
      totalCents,
    });
  await using server = await scriptedModelServer({
    localServer: 'ollama',
    script: [reply.text(invoice(6_000)), reply.text(`Here it is: ${invoice(6_500)}`)],
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'qwen3:8b' };
  expect((await runExample('extraction/invoice.ts', env)).split('\n').slice(0, -1)).toEqual([
    '4711 of 2026-03-03: 65 EUR',
    '- rope: 25',
    '- lantern: 40',
  ]);
  expect(JSON.stringify(server.turns[1]?.messages)).toContain('is not the sum of the lines');
});

it('fails a gate over many files, and reads only what changed on the next start', async () => {
  const cwd = makeRepository();
  mkdirSync(join(cwd, 'src'));
  const write = (index: number, text: string): void =>
    writeFileSync(join(cwd, 'src', `file-${String(index).padStart(4, '0')}.ts`), text);
  for (let index = 0; index < 6; index += 1) write(index, index === 4 ? 'ok\ncatch {}\n' : `${index}\n`);
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'files');
  const agent = `file=$(sed -n 's/^Read \\([^ ]*\\.ts\\)\\..*/\\1/p'); line=$(grep -n 'catch {}' $file | cut -d: -f1); if [ -n "$line" ]; then found="{\\"line\\":$line,\\"problem\\":\\"empty\\"}"; fi; echo "<findings>[$found]</findings>"`;
  const env = {
    TRUECAST_AGENT_COMMAND: agent,
    TRUECAST_RESULTS: join(temporaryFolder(), 'findings.jsonl'),
  };
  const gate = async (): Promise<readonly [exitCode: number | undefined, lines: readonly string[]]> => {
    const file = join(EXAMPLES, 'batch-gate/check-files.ts');
    const { stdout, exitCode } = await runProgram({ file, args: ['src'], cwd, env });
    return [exitCode, stdout.split('\n')];
  };
  expect(await gate()).toEqual([
    1,
    ['src/file-0004.ts:2: empty', '6 files, 6 read, 0 earlier, 0 failed, 1 findings'],
  ]);
  write(4, 'ok\n');
  git(cwd, 'commit', '-q', '-am', 'repair');
  expect(await gate()).toEqual([0, ['6 files, 1 read, 5 earlier, 0 failed, 0 findings']]);
});

it('merges the best of three agents, as a judge says that cannot write', async () => {
  const cwd = makeRepository();
  const agent = `player=$(sed -n 's/.*You are player \\([a-z]*\\)\\..*/\\1/p'); if [ -n "$player" ]; then echo by-$player > a.txt; git commit -qam "by $player"; else echo x >> a.txt; git commit -qam cheat; test "$(cat .truecast-attachments-*/*.diff | grep -c '^+[a-z]')" = 3 && echo '<verdict>{"winner":"try/two","reason":"It is short"}</verdict>'; fi`;
  const shown = await runExample('tournament/tournament.ts', { TRUECAST_AGENT_COMMAND: agent }, cwd, [
    'Write your name.',
  ]);
  expect(shown).toBe('try/two wins: It is short\nby two');
  expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
  expect(git(cwd, 'show', 'main:a.txt')).toBe('by-two');
});

it('reads a folder without git, and leaves it as it was', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'ci.log'), 'ok 1\nnot ok 2 parses dates\n');
  const agent = `test=$(sed -n 's/^not ok [0-9]* //p' ci.log); echo x > notes; echo "<triage>{\\"test\\":\\"$test\\",\\"cause\\":\\"code\\"}</triage>"`;
  expect(await runExample('read-only/triage.ts', { TRUECAST_AGENT_COMMAND: agent }, cwd)).toBe(
    'parses dates: code',
  );
});

it.each([
  [3, 'round 1: 2 left\nround 2: 1 left\nround 3: 0 left\n0 left, 3 commits on main'],
  [6, 'round 1: 5 left\nround 2: 4 left\nround 3: 3 left\nround 4: 2 left\nnot done, 4 commits are kept on'],
])('continues until none of %i warnings is left, or 4 rounds are over', async (count, shown) => {
  const cwd = makeRepository();
  writeFileSync(join(cwd, 'warnings'), 'x\n'.repeat(count));
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-q', '-m', 'warnings');
  const agent = `sed -i 1d warnings; git commit -qam fix; echo "<report>{\\"left\\":$(wc -l < warnings)}</report>"`;
  const printed = await runExample('until/warnings.ts', { TRUECAST_AGENT_COMMAND: agent }, cwd);
  expect(printed.startsWith(shown), printed).toBe(true);
});
