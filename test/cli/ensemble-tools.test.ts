/** Tests of `truecast ensemble init`, `eval`, `leaderboard`, `replay --html` and `say` as processes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import type { LedgerEvent } from '../../packages/ensemble/src/ledger/ledger-event.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { MAIN, temporaryFolder } from './cli-fixture.ts';
import { answerObediently, ensemble, SMALL, writeFolder } from './ensemble-fixture.ts';

it('init copies a folder that check accepts, and refuses one that exists', async () => {
  const folder = temporaryFolder();
  expect(await ensemble(folder, ['init', 'plays'])).toMatchObject({ exitCode: 0, stdout: 'plays' });
  expect((await ensemble(folder, ['check', 'plays'])).exitCode).toBe(0);
  const again = await ensemble(folder, ['init', 'plays']);
  expect(again).toMatchObject({ exitCode: 2, stdout: '' });
  expect(again.stderr).toContain('which exists. Name another folder');
});

it('check without a folder takes `ensembles`, as init creates it', async () => {
  const folder = temporaryFolder();
  expect((await ensemble(folder, ['init'])).exitCode).toBe(0);
  expect((await ensemble(folder, ['check'])).exitCode).toBe(0);
});

it('list names the scenarios of a folder', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  const listed = await ensemble(folder, ['list', '--json']);
  expect(JSON.parse(listed.stdout)).toEqual([
    {
      name: 'duel',
      title: 'The duel',
      goal: 'Be the better liar.',
      cast: ['ada', 'bob', 'cleo'],
      competition: 'judged',
    },
  ]);
  expect((await ensemble(folder, ['list'])).stdout).toMatch(
    /^duel +The duel +3 +judged +Be the better liar\.$/mu,
  );
});

it('import stores a printed run with its ids and times, once; --last-word ends it', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  const open = await ensemble(folder, ['run', 'duel', '--turns', '1', '--json']);
  const events = open.stdout.split('\n').map((line) => JSON.parse(line) as LedgerEvent);
  const unfinished = events.filter(({ kind }) => kind !== 'run.finished' && kind !== 'judge.verdict');
  const kept = unfinished.slice(0, unfinished.findIndex(({ kind }) => kind === 'agent.spoke') + 1);
  writeFileSync(join(folder, 'run.jsonl'), kept.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const database = ['--database-url', 'other.sqlite'];
  const runId = kept[0]?.runId ?? '';
  for (let time = 0; time < 2; time += 1) {
    expect(await ensemble(folder, ['import', 'run.jsonl', ...database])).toMatchObject({
      exitCode: 0,
      stdout: runId,
    });
  }
  const replayed = await ensemble(folder, ['replay', runId, '--json', '--quiet', ...database]);
  expect(replayed.stdout).toBe(open.stdout.split('\n').slice(0, kept.length).join('\n'));
  const ended = await ensemble(folder, ['run', '--resume', runId, '--last-word', '--quiet', ...database]);
  expect(JSON.parse(ended.stdout)).toMatchObject({ reason: 'user_stop', verdict: { by: 'cleo' } });
  writeFileSync(join(folder, 'run.jsonl'), '{"id":"x"}\n');
  const refused = await ensemble(folder, ['import', 'run.jsonl', ...database]);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Line 1 is not an event') });
  expect((await ensemble(folder, ['run', 'duel', '--last-word'])).exitCode).toBe(2);
});

it('eval compares models, resumes without a repeated call, and feeds leaderboard and replay', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  await using server = await scriptedModelServer({
    localServer: 'llama.cpp',
    script: (turn) => (turn.model === 'bad' ? reply.text('{"mood":1}') : answerObediently(turn)),
  });
  const models = ['good', 'bad'].map(
    (name) => `  ${name}: { endpoint: ${server.openaiUrl}, model: ${name} }\n`,
  );
  writeFileSync(
    join(folder, 'ensembles/models.yaml'),
    `endpoints:\n${models.join('')}profiles:\n  fast: { endpoint: ${server.openaiUrl}, model: good }\n`,
  );
  const args = ['eval', 'duel', '--model', 'good', '--model', 'bad', '--runs', '2', '--json'];
  const first = await ensemble(folder, [...args, '--html', 'eval.html', '--min-first-try', '0.5']);
  expect(first.exitCode).toBe(1);
  expect(first.stderr).toContain('Missed: bad in duel: 0 % (0–');
  const { rows } = JSON.parse(first.stdout);
  expect(rows).toMatchObject([
    { model: 'good', runs: 2, ended: { verdict: 2 }, firstTry: { rate: 1, high: 1 }, callsPerAnswer: 1 },
    { model: 'bad', runs: 2, firstTry: { rate: 0, low: 0 }, valid: { rate: 0 } },
  ]);
  expect(readFileSync(join(folder, 'eval.html'), 'utf8')).toContain('95 % Wilson intervals');
  const seedsOf = (name: string): ReadonlySet<string | undefined> => {
    const asked = server.requests.map(({ body }) => JSON.stringify(body));
    const ofModel = asked.filter((body) => body.includes(`model\\":\\"${name}`));
    return new Set(ofModel.map((body) => /seed\W+(\d+)/u.exec(body)?.[1]));
  };
  expect([...seedsOf('good')]).toEqual(['1', '2']);
  // A question that is asked anew, after a correction that failed too, has the next seed.
  expect([...seedsOf('bad')]).toEqual(['1', '2', '3']);
  const calls = server.requests.length;
  const second = await ensemble(folder, args);
  expect(JSON.parse(second.stdout).rows).toEqual(rows);
  expect(server.requests).toHaveLength(calls);
  const board = JSON.parse((await ensemble(folder, ['leaderboard', '--json'])).stdout);
  expect(board.models).toMatchObject([{ name: 'good', plays: 2, wins: 2 }]);
  const replay = await ensemble(folder, ['replay', 'eval/duel/good/1', '--html', 'run.html']);
  expect(replay).toMatchObject({ exitCode: 0, stdout: 'run.html' });
  const listed = await ensemble(folder, ['replay', '--html', 'list.html']);
  expect(listed).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Expected a run for `--html`'),
  });
  expect(readFileSync(join(folder, 'run.html'), 'utf8')).toMatch(
    /<title>The duel<\/title>[^]*Winner: (?:ada|bob)/u,
  );
});

it('say reaches a run of another process', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  let release = (): void => undefined;
  const said = new Promise<void>((resolve) => (release = resolve));
  await using server = await scriptedModelServer({
    script: async (turn) => {
      if (turn.userText.includes('ada (agent.spoke)')) await said;
      return answerObediently(turn);
    },
  });
  const env = {
    HOME: folder,
    TRUECAST_BASE_URL: server.openaiUrl,
    TRUECAST_MODEL: 'tiny',
    TRUECAST_API_KEY: '',
  };
  const run = execa(process.execPath, [MAIN, 'ensemble', 'run', 'duel', '--json'], { cwd: folder, env });
  let isSent = false;
  for await (const line of run.iterable()) {
    const event: LedgerEvent = JSON.parse(line);
    if (event.kind === 'user.injected') release();
    if (isSent || event.kind !== 'agent.spoke') continue;
    isSent = true;
    expect(await ensemble(folder, ['say', event.runId, 'Rats!', '--label', 'ann'])).toMatchObject({
      exitCode: 0,
    });
  }
  const { stdout } = await run;
  const injected = stdout
    .split('\n')
    .map((line) => JSON.parse(line) as LedgerEvent)
    .filter(({ kind }) => kind === 'user.injected');
  expect(injected).toMatchObject([{ actor: 'visitor', payload: { text: 'Rats!', label: 'ann' } }]);
  const ended = await ensemble(folder, ['say', injected[0]?.runId ?? '', 'Too late.']);
  expect(ended.stderr).toContain('has ended');
  expect(ended.exitCode).not.toBe(0);
});
