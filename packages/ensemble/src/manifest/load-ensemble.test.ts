/** Manifest folders on disk: every problem is reported with file, line and column. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { describeProblem, ManifestError } from '@truecast/core/internal/errors/manifest-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { allowFile } from '@truecast/host/internal/allowed-files';
import { inspectEnsemble, loadEnsemble } from './load-ensemble.ts';
import { toEnsembleScenario } from './to-ensemble-scenario.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const agent = (name: string, rest = 'may_emit: [agent.spoke]\nschedule: { tick_every: 1 }\n'): string =>
  `name: ${name}\npersona: x\n${rest}`;
const JUDGE = agent('cleo', 'role: judge\nmay_emit: [judge.verdict]\noutput_extra_fields: [winner]\n');
const scenario = (rest: string): string =>
  `name: s\ntitle: T\ngoal: G\ndefault_seed: d\ngenesis_text: It is {seed}.\n${rest}`;
const GOOD: Readonly<Record<string, string>> = {
  'agents/ada.yaml': agent('ada'),
  'agents/bob.yml': agent('bob'),
  'agents/cleo.yaml': JUDGE,
  'scenarios/s.yaml': scenario('cast: [ada, bob, cleo]\ncompetition: { kind: judged }\n'),
};

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-manifests-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function problemsOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const folder = folderOf({ ...GOOD, ...files });
  try {
    await loadEnsemble(folder, { env });
    return [];
  } catch (error) {
    if (!ManifestError.isInstance(error)) throw error;
    return error.problems.map((problem) => describeProblem(problem).replace(`${folder}/`, ''));
  }
}

describe('a folder of manifests', () => {
  it('has what could be read beside its problems', async () => {
    const folder = folderOf({ ...GOOD, 'agents/bob.yml': 'name: bob\npersona: [' });
    const { found, problems } = await inspectEnsemble(folder, { env: {} });
    expect([[...found.scenarios.keys()], [...found.agents.keys()]]).toEqual([['s'], ['ada', 'cleo']]);
    expect(problems.map(({ file }) => file)).toContain(join(folder, 'agents/bob.yml'));
  });

  it('returns agents, scenarios and models by name', async () => {
    const models =
      'profiles:\n  fast: { endpoint: "http://${HOST}:8080/v1", model: m, api_key: $KEY, temperature: 0.5, max_tokens: 9, top_p: 0.9, seed: 7, stop: [END], timeout_seconds: 90, idle_timeout_seconds: 30, body: { options: { num_ctx: 16384 } }, prices: { input_usd_per_million: 1, output_usd_per_million: 2 } }\nendpoints:\n  big: { endpoint: "https://x.invalid/v1", model: "pay$$" }\n';
    const folder = folderOf({ ...GOOD, 'models.yaml': models, 'agents/notes.txt': 'not read' });
    allowFile(join(folder, 'models.yaml'), models);
    const {
      agents,
      scenarios,
      models: read,
    } = await loadEnsemble(folder, {
      env: { HOST: 'localhost', KEY: 'secret' },
    });
    expect([...agents.keys()]).toEqual(['ada', 'bob', 'cleo']);
    expect(scenarios.get('s')).toEqual({
      name: 's',
      title: 'T',
      goal: 'G',
      defaultSeed: 'd',
      genesisText: 'It is {seed}.',
      cast: ['ada', 'bob', 'cleo'],
      governor: {},
      competition: { kind: 'judged' },
    });
    expect(read).toEqual({
      offline: false,
      profiles: {
        fast: {
          endpoint: 'http://localhost:8080/v1',
          model: 'm',
          apiKey: 'secret',
          settings: {
            temperature: 0.5,
            maxOutputTokens: 9,
            topP: 0.9,
            seed: 7,
            stopSequences: ['END'],
            timeouts: { requestMs: 90_000, idleMs: 30_000 },
          },
          body: { options: { num_ctx: 16384 } },
          prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 },
        },
      },
      endpoints: { big: { endpoint: 'https://x.invalid/v1', model: 'pay$', settings: {} } },
    });
  });

  it('can have members that are woken by woken members', async () => {
    const woken = (kind: string): string => `may_emit: [agent.spoke, ${kind}]\n`;
    const files = {
      'agents/ada.yaml': agent('ada', `${woken('a.b')}subscribes_to: [c.d]\n`),
      'agents/bob.yml': agent('bob', `${woken('c.d')}subscribes_to: [run.started]\n`),
    };
    expect(await problemsOf(files)).toEqual([]);
  });

  it('needs prices for a limit in money', async () => {
    const limited = { 'scenarios/s.yaml': `${GOOD['scenarios/s.yaml']}governor: { hourly_budget_usd: 1 }\n` };
    const modelWith = (rest: string): string =>
      `profiles: { fast: { endpoint: "http://x.invalid/v1", model: m${rest} } }\n`;
    const prices = ', prices: { input_usd_per_million: 1, output_usd_per_million: 1 }';
    expect(await problemsOf({ ...limited, 'models.yaml': modelWith('') })).toEqual([
      expect.stringContaining('`hourly_budget_usd` needs the prices of each model'),
    ]);
    expect(await problemsOf({ ...limited, 'models.yaml': modelWith(prices) })).toEqual([]);
  });

  it('needs no variable if models are offline', async () => {
    const files = { 'models.yaml': 'offline: true\nprofiles: { tiny: { endpoint: $A, model: $B } }\n' };
    expect(await problemsOf(files)).toEqual([]);
  });

  it('reads no link, pipe or device', async () => {
    const folder = folderOf(GOOD);
    symlinkSync('/etc/passwd', join(folder, 'agents', 'link.yaml'));
    symlinkSync('/dev/zero', join(folder, 'agents', 'zero.yaml'));
    execFileSync('mkfifo', [join(folder, 'agents', 'pipe.yaml')]);
    const failure = await loadEnsemble(folder, { env: {} }).catch((error: unknown) => error);
    const problems = ManifestError.isInstance(failure) ? failure.problems.map(describeProblem) : [];
    expect(problems).toHaveLength(3);
    for (const problem of problems) expect(problem).toContain('cannot be read');
  });

  it('that does not exist is a usage error', async () => {
    await expect(loadEnsemble('/nowhere/at/all', { env: {} })).rejects.toSatisfy(UsageError.isInstance);
  });

  it('reports the problems of all files at once, in the order of files and lines, without follow-up errors', async () => {
    const problems = await problemsOf({
      'agents/ada.yaml': 'name: ada\nmay_emit: [x]\n',
      'agents/bob.yml': 'name: bob\n\tpersona: x\n',
      'models.yaml': 'profile: {}\n',
    });
    expect(problems).toEqual([
      'agents/ada.yaml:1:1: `persona` is missing: expected a text.',
      expect.stringMatching(/^agents\/ada\.yaml:1:1: No event or schedule wakes this agent/u),
      expect.stringMatching(/^agents\/ada\.yaml:2:12: Expected `may_emit\[0\]` to be a kind/u),
      expect.stringMatching(/^agents\/bob\.yml:2:1: Not valid YAML/u),
      'models.yaml:1:1: `profile` is not a key of `models.yaml`. Did you mean `profiles`?',
    ]);
  });
});

it('passes `parallel` on to the engine', async () => {
  const text = scenario('cast: [ada]\nparallel: true\n');
  const ensemble = await loadEnsemble(folderOf({ ...GOOD, 'scenarios/s.yaml': text }), { env: {} });
  const manifest = ensemble.scenarios.get('s');
  if (manifest === undefined) throw new RangeError('s');
  expect(toEnsembleScenario(manifest, ensemble, { modelOf: () => 'stub' }).parallel).toBe(true);
});

const VERSUS = 'competition:\n  kind: versus\n  teams:\n';

describe('a refusal of a folder', () => {
  it.each([
    [
      'no scenario',
      { 'scenarios/s.yaml': '' },
      'scenarios/s.yaml:1:1: The file is empty; expected a scenario.',
    ],
    [
      'bytes that are no text',
      { 'agents/x.yaml': new Uint8Array([0xff, 0xfe, 0x41]) },
      'agents/x.yaml:1:1: The file cannot be read: it is not UTF-8.',
    ],
    [
      'a cast that names nobody',
      { 'scenarios/s.yaml': scenario('cast:\n  - adda\n') },
      'scenarios/s.yaml:7:5: No agent is called `adda`. Did you mean `ada`?',
    ],
    [
      'a subscription to a kind that no agent emits, beside a valid one',
      {
        'agents/bob.yml': agent('bob', 'may_emit: [clue.found]\nsubscribes_to: [agent.spoke, clue.fund]\n'),
      },
      'agents/bob.yml:4:30: No agent of this folder emits `clue.fund`. Did you mean `clue.found`?',
    ],
    [
      'a condition on a field that no event has',
      {
        'agents/ada.yaml': `${agent('ada')}output_extra_fields: [mood]\n`,
        'agents/bob.yml': agent(
          'bob',
          'may_emit: [clue.found]\nsubscribes_to:\n  - kind: agent.spoke\n    when: { mod: calm }\n',
        ),
      },
      'agents/bob.yml:6:13: No `agent.spoke` has the field `mod`. Did you mean `mood`?',
    ],
    [
      'a condition of another type than its field',
      {
        'agents/ada.yaml': `${agent('ada')}output_extra_fields: [mood]\n`,
        'agents/bob.yml': agent(
          'bob',
          'may_emit: [clue.found]\nsubscribes_to:\n  - kind: agent.spoke\n    when: { mood: 3 }\n',
        ),
      },
      'agents/bob.yml:6:19: `mood` is a string, and is never 3. Write it in quotation marks: "3".',
    ],
    [
      'an empty cast',
      { 'scenarios/s.yaml': scenario('cast: []\n') },
      'scenarios/s.yaml:6:7: Expected `cast` to be a list of at least one name',
    ],
    [
      'a member twice',
      { 'scenarios/s.yaml': scenario('cast: [ada, ada]\n') },
      'scenarios/s.yaml:6:13: `cast` contains this twice.',
    ],
    [
      'two agents with one name, with the place of the first',
      { 'agents/z.yaml': agent('Ada') },
      'agents/z.yaml:1:7: `Ada` is already the name of the agent in ',
    ],
    [
      'two scenarios with one name',
      { 'scenarios/t.yaml': scenario('cast: [ada]\n') },
      'scenarios/t.yaml:1:7: `s` is already the name of the scenario in ',
    ],
    [
      'a competition without a judge',
      { 'scenarios/s.yaml': scenario('cast: [ada, bob]\ncompetition: { kind: judged }\n') },
      'scenarios/s.yaml:6:1: A competition of the kind `judged` needs a judge in its cast.',
    ],
    [
      'a judge that cannot name a winner',
      { 'agents/cleo.yaml': JUDGE.replace('winner', 'mood') },
      'scenarios/s.yaml:6:1: No judge of this cast can name a winner (cleo).',
    ],
    [
      'a kind of competition that is none',
      { 'scenarios/s.yaml': scenario('cast: [ada]\ncompetition: { kind: verus }\n') },
      'scenarios/s.yaml:7:22: Expected `competition.kind` to be one of versus, judged, none, got `"verus"` (string). Did you mean `versus`?',
    ],
    [
      'versus without teams',
      { 'scenarios/s.yaml': scenario('cast: [ada, cleo]\ncompetition: { kind: versus }\n') },
      'scenarios/s.yaml:7:14: `versus` needs two teams or more, or `symmetric_seats`, got 0.',
    ],
    [
      'versus of one team',
      { 'scenarios/s.yaml': scenario(`cast: [ada, bob, cleo]\n${VERSUS}    x: [ada]\n`) },
      'scenarios/s.yaml:9:3: `versus` needs two teams or more, or `symmetric_seats`, got 1.',
    ],
    [
      'teams where there is no versus',
      {
        'scenarios/s.yaml': scenario(
          'cast: [ada, cleo]\ncompetition: { kind: judged, teams: { x: [ada] } }\n',
        ),
      },
      'scenarios/s.yaml:7:30: A competition of the kind `judged` has no `teams`.',
    ],
    [
      'a hidden team that is none',
      {
        'scenarios/s.yaml': scenario(
          `cast: [ada, bob, cleo]\n${VERSUS}    east: [ada]\n    west: [bob]\n  hidden: wst\n`,
        ),
      },
      'scenarios/s.yaml:12:11: `wst` is not a team. Did you mean `west`?',
    ],
    [
      'a seat of nobody in the cast',
      {
        'scenarios/s.yaml': scenario(
          'cast: [ada, bob, cleo]\ncompetition: { kind: versus, symmetric_seats: [ada, bobb] }\n',
        ),
      },
      'scenarios/s.yaml:7:53: `bobb` is not in the cast. Did you mean `bob`?',
    ],
    [
      'symmetric seats that differ',
      {
        'agents/bob.yml': agent('bob', 'may_emit: [agent.spoke]\nschedule: { tick_every: 2 }\n'),
        'scenarios/s.yaml': scenario(
          'cast: [ada, bob, cleo]\ncompetition: { kind: judged, symmetric_seats: [ada, bob] }\n',
        ),
      },
      'scenarios/s.yaml:7:53: `bob` and `ada` have symmetric seats, and differ in `schedule`. Make them equal, or remove one of the seats.',
    ],
    [
      'a team of nobody in the cast',
      { 'scenarios/s.yaml': scenario(`cast: [ada, bob, cleo]\n${VERSUS}    x: [ada]\n    y: [bobb]\n`) },
      'scenarios/s.yaml:11:9: `bobb` is not in the cast. Did you mean `bob`?',
    ],
    [
      'a team without members',
      { 'scenarios/s.yaml': scenario(`cast: [ada, bob, cleo]\n${VERSUS}    x: [ada]\n    y: []\n`) },
      'scenarios/s.yaml:11:8: Expected `competition.teams.y` to be a list of at least one name',
    ],
    [
      'a member of two teams',
      { 'scenarios/s.yaml': scenario(`cast: [ada, bob, cleo]\n${VERSUS}    x: [ada, bob]\n    y: [bob]\n`) },
      'scenarios/s.yaml:11:9: `bob` is already in a team.',
    ],
    [
      'a judge in a team',
      { 'scenarios/s.yaml': scenario(`cast: [ada, bob, cleo]\n${VERSUS}    x: [ada]\n    y: [bob, cleo]\n`) },
      'scenarios/s.yaml:11:14: `cleo` is the judge of this competition and cannot be in a team.',
    ],
    [
      'a team with the name of an agent',
      { 'scenarios/s.yaml': scenario(`cast: [ada, bob, cleo]\n${VERSUS}    x: [ada]\n    BOB: [bob]\n`) },
      'scenarios/s.yaml:11:5: The team `BOB` has the same name as the agent `bob`',
    ],
    [
      'a member that nothing wakes',
      { 'agents/bob.yml': agent('bob', 'may_emit: [agent.spoke]\nsubscribes_to: [clue.found]\n') },
      'scenarios/s.yaml:6:13: `bob` would never wake: no other agent in this cast emits clue.found before.',
    ],
    [
      'members that wait for each other',
      {
        'agents/ada.yaml': agent('ada', 'may_emit: [a.b]\nsubscribes_to: [b.a]\n'),
        'agents/bob.yml': agent('bob', 'may_emit: [b.a]\nsubscribes_to: [a.b]\n'),
      },
      'scenarios/s.yaml:6:8: `ada` would never wake',
    ],
    [
      'a bound that is none',
      { 'scenarios/s.yaml': scenario('cast: [ada]\ngovernor: { max_turns: 0, max_turn: 3 }\n') },
      'scenarios/s.yaml:7:24: Expected `governor.max_turns` to be a whole number of 1 or more, got `0` (number).',
    ],
    [
      'a misspelt bound',
      { 'scenarios/s.yaml': scenario('cast: [ada]\ngovernor: { max_turn: 3 }\n') },
      'scenarios/s.yaml:7:13: `max_turn` is not a key of `governor`. Did you mean `max_turns`?',
    ],
    [
      'a misspelt seed',
      { 'scenarios/s.yaml': scenario('cast: [ada]\n').replace('{seed}', '{Seed}') },
      'scenarios/s.yaml:5:15: `{Seed}` is not replaced. Did you mean `{seed}`?',
    ],
    [
      'a variable that is not set',
      {
        'models.yaml':
          'profiles:\n  fast:\n    endpoint: $TRUECAST_HERE\n    model: m\n    api_key: ${TRUECAST_NO_SUCH}\n',
      },
      'models.yaml:5:14: The environment variable `TRUECAST_NO_SUCH` is not set.',
    ],
    [
      'a variable that is empty',
      { 'models.yaml': 'profiles:\n  fast: { endpoint: $TRUECAST_EMPTY, model: m }\n' },
      'models.yaml:2:21: The environment variable `TRUECAST_EMPTY` is not set.',
    ],
    [
      'an endpoint that is no address',
      { 'models.yaml': 'profiles:\n  fast: { endpoint: localhost, model: m }\n' },
      'models.yaml:2:21: Expected an http or https address.',
    ],
    [
      'models without a model',
      { 'models.yaml': 'offline: false\n' },
      'models.yaml:1:1: No model is defined.',
    ],
    [
      'a profile that no model stands behind',
      { 'models.yaml': 'profiles:\n  tiny: { endpoint: http://localhost/v1, model: m }\n' },
      'agents/ada.yaml:1:1: `models.yaml` has no profile `fast`.',
    ],
    [
      'an endpoint that is not defined',
      {
        'models.yaml': 'endpoints:\n  big: { endpoint: http://localhost/v1, model: m }\n',
        'agents/ada.yaml': `${agent('ada')}model_endpoint: bigg\n`,
      },
      'agents/ada.yaml:5:17: `bigg` is not an endpoint of `models.yaml`. Did you mean `big`?',
    ],
  ])('%s is reported at its line and column', async (_, files, expected) => {
    const problems = await problemsOf(files, { TRUECAST_EMPTY: '', TRUECAST_HERE: 'http://localhost/v1' });
    expect(problems.find((problem) => problem.startsWith(expected)) ?? problems).toContain(expected);
  });

  it('shows no value of a variable', async () => {
    const problems = await problemsOf(
      { 'models.yaml': 'profiles:\n  fast: { endpoint: $TRUECAST_KEY, model: m }\n' },
      { TRUECAST_KEY: 'sk-secret' },
    );
    expect(problems.join()).not.toContain('sk-secret');
  });
});

describe('structural problems of a folder', () => {
  it('stop no check of the parts beside them', async () => {
    const problems = await problemsOf({
      'agents/ada.yaml':
        'name: ada\nrole: wroker\npersona: x\nmay_emit: [agent.spoke, run.finished]\noutput_extra_fields: [mood, mood]\nschedule: { tick_every: soon }\n',
      'agents/bob.yml': 'name: bob\nmay_emit: [clue.found]\nsubscribes_to: [agent.spoke, clue.fund]\n',
      'scenarios/s.yaml':
        'name: s\ntitle: T\ngoal: G\ngenesis_text: It is {Seed}.\ncast: [ada, bob, bbo, cleo]\ngovernor: { max_turns: 0 }\ncompetition:\n  kind: verus\n  teams: { east: [ada, ada], west: [bobb] }\n  hidden: wst\n',
      'models.yaml':
        'profiles:\n  fast: { endpoint: $TRUECAST_NO_SUCH }\n  strong: { endpoint: $TRUECAST_NO_SUCH, model: m }\nendpoints:\n  big: { endpoint: nowhere, model: m }\n',
    });
    expect(problems.map((problem) => problem.replace(/: (?:Expected )?(`[^`]*`).*$/u, ' $1'))).toEqual([
      'agents/ada.yaml:2:7 `role`',
      'agents/ada.yaml:4:25 `run.finished`',
      'agents/ada.yaml:5:29 `output_extra_fields`',
      'agents/ada.yaml:6:25 `schedule.tick_every`',
      'agents/bob.yml:1:1 `persona`',
      'agents/bob.yml:3:30: No agent of this folder emits `clue.fund`. Did you mean `clue.found`?',
      'models.yaml:2:9 `profiles.fast.model`',
      'models.yaml:3:23: The environment variable `TRUECAST_NO_SUCH` is not set. Set it, or write the value here.',
      'models.yaml:5:20: Expected an http or https address. Such as `http://localhost:11434/v1`.',
      'scenarios/s.yaml:1:1 `default_seed`',
      'scenarios/s.yaml:4:15 `{Seed}`',
      'scenarios/s.yaml:5:18: No agent is called `bbo`. Did you mean `bob`?',
      'scenarios/s.yaml:6:24 `governor.max_turns`',
      'scenarios/s.yaml:8:9 `competition.kind`',
      'scenarios/s.yaml:9:24 `ada`',
      'scenarios/s.yaml:9:37 `bobb`',
      'scenarios/s.yaml:10:11 `wst`',
    ]);
  });

  it.each([
    [
      'an unknown key can be any absent one',
      { 'agents/bob.yml': 'name: bob\npersona: x\nmay_emit: [agent.spoke]\nwakes_on: [agent.spoke]\n' },
      ['agents/bob.yml:4:1: `wakes_on` is not a key of an agent.'],
    ],
    [
      'an agent with an unreadable grant can emit any kind',
      {
        'agents/ada.yaml': agent('ada', 'may_emit: [agent.spoke, Clue]\nschedule: { tick_every: 1 }\n'),
        'agents/bob.yml': agent('bob', 'may_emit: [agent.spoke]\nsubscribes_to: [clue.found]\n'),
      },
      ['agents/ada.yaml:3:25: Expected `may_emit[1]`'],
    ],
    [
      'an agent with an unreadable name can be in the cast',
      { 'agents/bob.yml': agent('[bob]') },
      ['agents/bob.yml:1:7: Expected `name`'],
    ],
    [
      'a broken endpoint is defined',
      {
        'agents/ada.yaml': `${agent('ada')}model_endpoint: big\n`,
        'models.yaml':
          'profiles: { fast: { endpoint: "http://x.invalid/v1", model: m } }\nendpoints: { big: { model: m, modle: n } }\n',
      },
      ['models.yaml:2:31: `modle` is not a key of `endpoints.big`.'],
    ],
    [
      'a cast with an unreadable name can have any member',
      {
        'scenarios/s.yaml': scenario(
          'cast: [ada, bob, cleo, 7]\ncompetition: { kind: judged, symmetric_seats: [ada, dan] }\n',
        ),
      },
      ['scenarios/s.yaml:6:24: Expected `cast[3]`'],
    ],
  ])('%s: no follow-up errors', async (_, files, expected) => {
    const problems = await problemsOf(files);
    expect(problems.map((problem, index) => problem.slice(0, expected[index]?.length))).toEqual(expected);
  });
});
