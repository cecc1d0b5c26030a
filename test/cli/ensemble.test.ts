/** Tests of `truecast ensemble` as a process: offline, with a model server, and interrupted. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../packages/ensemble/src/ledger/ledger-event.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { temporaryFolder } from './cli-fixture.ts';
import { answerObediently, ensemble, type Env, SMALL, writeFolder } from './ensemble-fixture.ts';

/** The package with the scenarios that are shipped. */
const SHIPPED = join(import.meta.dirname, '../../packages/ensemble');

/** Output of `--json`: one event per line. */
function eventsOf(stdout: string): readonly LedgerEvent[] {
  return stdout.split('\n').map((line) => JSON.parse(line) as LedgerEvent);
}

describe.each(['museum-boat', 'forged-portrait'])('the shipped scenario %s', (name) => {
  it('plays offline to a winner, twice to the same outcome', async () => {
    const folder = temporaryFolder();
    const [first, second] = [await ensemble(folder, ['run', name]), await ensemble(folder, ['run', name])];
    expect(first.exitCode).toBe(0);
    expect(second.stdout).toBe(first.stdout);
    const outcome = JSON.parse(first.stdout);
    expect(outcome).toMatchObject({ scenario: name, reason: 'verdict', winningModels: ['stub'] });
    expect(outcome.winner).toBeTypeOf('string');
    expect(first.stderr).toContain('The stub plays all agents, without network');
    expect(first.stderr).toMatch(/calls left/u);
    expect(first.stderr).toMatch(/^Winner: .* · by verdict$/mu);
  });
});

it('stamps by code who was accused, and which team that makes the winner', async () => {
  const { stdout } = await ensemble(temporaryFolder(), ['run', 'forged-portrait', '--quiet']);
  const { winner, winnerKind, verdict } = JSON.parse(stdout);
  expect(winnerKind).toBe('team');
  expect(verdict.correct).toBe(verdict.accused === 'corvin');
  expect(winner).toBe(verdict.correct === true ? 'restorers' : 'forger');
});

it('refuses an empty seed and no turns, before anything is played', async () => {
  const folder = temporaryFolder();
  const empty = await ensemble(folder, ['run', 'museum-boat', '--seed', ' ']);
  expect(empty).toMatchObject({ exitCode: 2, stdout: '' });
  expect(empty.stderr).toContain('Expected `--seed` to be a non-empty string');
  const none = await ensemble(folder, ['run', 'museum-boat', '--turns', '0']);
  expect(none).toMatchObject({ exitCode: 2, stdout: '' });
  expect(none.stderr).toContain('Expected a whole number, 1 or greater');
});

it('begins from the seed that is given, and ends after the turns that are given', async () => {
  const args = ['run', 'museum-boat', '--seed', 'a night of frost', '--turns', '1', '--json'];
  const { stdout, exitCode } = await ensemble(temporaryFolder(), args);
  expect(exitCode).toBe(0);
  const events = eventsOf(stdout);
  expect(events[0]).toMatchObject({ kind: 'run.started', payload: { seed: 'a night of frost' } });
  expect(events[1]?.payload['text']).toContain('a night of frost');
  expect(events.at(-1)).toMatchObject({ kind: 'run.finished', turn: 1 });
  expect(events.map(({ kind }) => kind)).toContain('judge.verdict');
});

it('runs with a live server set by two variables, and labels how each answer was obtained', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  await using server = await scriptedModelServer({ script: answerObediently, key: 'sk-try' });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'tiny-1', TRUECAST_API_KEY: 'sk-try' };
  const { stdout, stderr, exitCode } = await ensemble(folder, ['run', 'duel'], env);
  expect({ exitCode, failures: server.failures }).toEqual({ exitCode: 0, failures: [] });
  expect(JSON.parse(stdout)).toMatchObject({ reason: 'verdict', winningModels: ['tiny-1'], turns: 2 });
  expect(stderr).toContain('All agents are played by tiny-1 (TRUECAST_MODEL).');
  expect(stderr).toMatch(/^ada · first try$/mu);
  expect(server.turns.map(({ model }) => model)).toEqual(Array.from({ length: 5 }, () => 'tiny-1'));
  expect(stdout + stderr).not.toContain('sk-try');
});

it.each(['llama.cpp', 'lm-studio', 'ollama', 'vllm'] as const)(
  'plays with a server that writes as %s does',
  async (localServer) => {
    const folder = temporaryFolder();
    writeFolder(folder, SMALL);
    await using server = await scriptedModelServer({ script: answerObediently, localServer });
    const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'local-1' };
    const { stdout, stderr, exitCode } = await ensemble(folder, ['run', 'duel'], env);
    expect({ exitCode, failures: server.failures }).toEqual({ exitCode: 0, failures: [] });
    expect(JSON.parse(stdout)).toMatchObject({ reason: 'verdict', winningModels: ['local-1'] });
    expect(stderr.replaceAll(/\s+/gu, ' ')).toContain('5 of 5 answers valid on the first try');
  },
);

it('labels each answer that was not valid on the first try', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  await using server = await scriptedModelServer({
    script: (turn) => (turn.turnIndex === 0 ? reply.text('{"kind":"agent.spoke"}') : answerObediently(turn)),
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'tiny-1' };
  const { stderr } = await ensemble(folder, ['run', 'duel'], env);
  expect(stderr).toMatch(/^ada · re-asked 1×$/mu);
  expect(stderr.replaceAll(/\s+/gu, ' ')).toContain('4 of 5 answers valid on the first try');
});

it("uses the model of each agent's profile", async () => {
  const folder = temporaryFolder();
  await using server = await scriptedModelServer({ script: answerObediently });
  writeFolder(folder, {
    ...SMALL,
    'ensembles/agents/bob.yaml': `${SMALL['ensembles/agents/bob.yaml']}model_endpoint: odd\n`,
    'ensembles/agents/cleo.yaml': `${SMALL['ensembles/agents/cleo.yaml']}model_profile: strong\n`,
    'ensembles/models.yaml':
      'profiles:\n  fast: { endpoint: $TRUECAST_HERE, model: small, temperature: 0.5, max_tokens: 99 }\n  strong: { endpoint: $TRUECAST_HERE, model: large }\nendpoints:\n  odd: { endpoint: $TRUECAST_HERE, model: odd-one }\n',
  });
  const { stderr, exitCode } = await ensemble(folder, ['run', 'duel'], { TRUECAST_HERE: server.openaiUrl });
  expect({ exitCode, failures: server.failures }).toEqual({ exitCode: 0, failures: [] });
  expect(server.turns.map(({ model }) => model)).toEqual(['small', 'odd-one', 'small', 'odd-one', 'large']);
  expect(server.turns[0]?.body).toMatchObject({ temperature: 0.5, max_tokens: 99 });
  expect(stderr).toContain('Agents are played by the models of `models.yaml`.');
});

it('exits with 1 and a message if the model cannot be reached', async () => {
  const folder = temporaryFolder();
  writeFolder(folder, SMALL);
  await using server = await scriptedModelServer({
    script: () => reply.error(400, { message: 'No such model.' }),
  });
  const env = { TRUECAST_BASE_URL: server.openaiUrl, TRUECAST_MODEL: 'none' };
  const { stdout, stderr, exitCode } = await ensemble(folder, ['run', 'duel'], env);
  expect(stderr).toMatch(/ada failed, http: /u);
  expect(JSON.parse(stdout)).toMatchObject({ winner: null, verdict: null });
  expect(exitCode).toBe(1);
});

describe('wrong use', () => {
  it.each<[string, readonly string[], Env, RegExp]>([
    [
      'no scenario',
      ['run'],
      {},
      /needs a scenario or `--resume RUN`. Pass one of forged-portrait, museum-boat\./u,
    ],
    ['a misspelt scenario', ['run', 'museumboat'], {}, /Did you mean `museum-boat`\?/u],
    ['a folder that is none', ['run', 'x', '--dir', 'nowhere'], {}, /Expected a folder with/u],
    ['half a model', ['run', 'museum-boat'], { TRUECAST_MODEL: 'm' }, /TRUECAST_BASE_URL is not set/u],
    [
      'an address that is none',
      ['run', 'museum-boat'],
      { TRUECAST_MODEL: 'm', TRUECAST_BASE_URL: 'here' },
      /`baseURL`/u,
    ],
    ['turns that are no number', ['run', 'museum-boat', '--turns', 'two'], {}, /whole number/u],
  ])('%s is told with the exit code 2', async (_, args, env, message) => {
    const { stderr, exitCode } = await ensemble(temporaryFolder(), args, env);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
  });
});

describe('truecast ensemble check', () => {
  it('finds nothing in the folder that is shipped', async () => {
    const { stdout, stderr, exitCode } = await ensemble(SHIPPED, ['check', 'ensembles']);
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: '',
      stderr: 'No problems: 10 agents, 2 scenarios.',
      exitCode: 0,
    });
  });

  it('prints every problem of a broken folder as file:line:column, and ends with 1', async () => {
    const folder = temporaryFolder();
    writeFolder(folder, {
      ...SMALL,
      'ensembles/agents/bob.yaml':
        'name: bob\npersona: x\nmay_emit: [agent.spoke]\nschedul: { tick_every: 1 }\n',
      'ensembles/models.yaml': 'profiles:\n  fast: { endpoint: $TRUECAST_NO_SUCH, model: m }\n',
      'ensembles/scenarios/duel.yaml': SMALL['ensembles/scenarios/duel.yaml']!.replace(
        'bob, cleo',
        'bobb, cleo',
      ),
    });
    const { stdout, stderr, exitCode } = await ensemble(folder, ['check', 'ensembles']);
    expect(stdout.split('\n')).toEqual([
      'ensembles/agents/bob.yaml:4:1: `schedul` is not a key of an agent. Did you mean `schedule`?',
      'ensembles/models.yaml:2:21: The environment variable `TRUECAST_NO_SUCH` is not set. Set it, or write the value here.',
      'ensembles/scenarios/duel.yaml:5:13: No agent is called `bobb`. Did you mean `bob`?',
    ]);
    expect({ stderr, exitCode }).toEqual({ stderr: '3 problems.', exitCode: 1 });
    const json = await ensemble(folder, ['check', 'ensembles', '--json']);
    expect(JSON.parse(json.stdout).problems[0]).toMatchObject({ line: 4, column: 1, path: ['schedul'] });
    const run = await ensemble(folder, ['run', 'duel']);
    expect(run.stderr).toContain('3 problems in the manifests:\n  ensembles/agents/bob.yaml:4:1: ');
    expect(run.exitCode).toBe(2);
  });

  it('wants a scenario, and a folder', async () => {
    const folder = temporaryFolder();
    expect(await ensemble(folder, ['check'])).toMatchObject({
      stdout: 'scenarios:1:1: There is no scenario in this folder: expected a `.yaml` file.',
      exitCode: 1,
    });
    expect((await ensemble(folder, ['check', 'nowhere'])).exitCode).toBe(2);
  });
});
