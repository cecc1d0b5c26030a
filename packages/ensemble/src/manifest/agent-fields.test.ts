/** Agent manifest parser: its keys, and the line and column of each problem. */
import { describe, expect, it } from 'vitest';
import { describeProblem, ManifestError } from '@truecast/core/internal/errors/manifest-error';
import { parseAgentManifest } from './load-ensemble.ts';
import { readAgentManifest } from './agent-fields.ts';

const LEAST = `name: ada
persona: A lighthouse keeper.
may_emit: [agent.spoke]
subscribes_to: [world.observed]
`;

function problemsOf(text: string): readonly string[] {
  return readAgentManifest({ text, file: 'a.yaml' }, { handlers: ['oracle'] }).problems.map(describeProblem);
}

describe('an agent', () => {
  it('needs four keys, and gets the rest by default', async () => {
    expect(await parseAgentManifest(LEAST, 'a.yaml')).toEqual({
      name: 'ada',
      role: 'worker',
      persona: 'A lighthouse keeper.',
      subscribesTo: ['world.observed'],
      mayEmit: ['agent.spoke'],
      schedule: { maxConsecutive: 3 },
      modelProfile: 'fast',
      memory: { window: 8, useSalience: false, salienceTopK: 8 },
      outputExtraFields: [],
    });
  });

  it('takes every key', async () => {
    const text = `name: ada
role: judge
persona: |
  A lighthouse keeper.
  She counts ships.
handler: oracle
subscribes_to:
  - world.observed
  - { kind: agent.spoke, when: { mood: restless, loud: true } }
may_emit: [judge.verdict, agent.spoke]
schedule: { tick_every: 0, max_consecutive: 1 }
model_profile: strong
model_endpoint: big
memory: { window: 4, use_salience: true, salience_top_k: 2, reflection_threshold: 6 }
output_extra_fields: [mood, winner]
public_fields: [mood]
max_text_chars: 300
repeat_guard: false
`;
    expect(await parseAgentManifest(text, 'a.yaml', { handlers: ['oracle'] })).toEqual({
      name: 'ada',
      role: 'judge',
      persona: 'A lighthouse keeper.\nShe counts ships.',
      handler: 'oracle',
      subscribesTo: ['world.observed', { kind: 'agent.spoke', when: { mood: 'restless', loud: true } }],
      mayEmit: ['judge.verdict', 'agent.spoke'],
      schedule: { tickEvery: 0, maxConsecutive: 1 },
      modelProfile: 'strong',
      modelEndpoint: 'big',
      memory: { window: 4, useSalience: true, salienceTopK: 2, reflectionThreshold: 6 },
      outputExtraFields: ['mood', 'winner'],
      publicFields: ['mood'],
      maxTextChars: 300,
      repeatGuard: false,
    });
  });

  it('is refused with every problem at once, in a typed error', async () => {
    const text =
      'name: ada\nrole: jugde\npersonna: x\nmay_emit: [spoke, agent.spoke]\nschedule:\n  tick: 1\n';
    const thrown: unknown = await parseAgentManifest(text, 'a.yaml').catch((error: unknown) => error);
    expect(ManifestError.isInstance(thrown)).toBe(true);
    if (!ManifestError.isInstance(thrown)) return;
    expect(thrown.code).toBe('invalid-manifest');
    expect(thrown.problems.map(describeProblem)).toEqual([
      'a.yaml:1:1: `persona` is missing: expected a text.',
      'a.yaml:2:7: Expected `role` to be one of worker, judge, observer, reflector, got `"jugde"` (string). Did you mean `judge`?',
      'a.yaml:3:1: `personna` is not a key of an agent. Did you mean `persona`?',
      'a.yaml:4:12: Expected `may_emit[0]` to be a kind, such as `agent.spoke`: lowercase letters and digits, separated by dots, got `"spoke"` (string).',
      'a.yaml:6:3: `tick` is not a key of `schedule`. Did you mean `tick_every`?',
    ]);
    expect(thrown.problems[2]).toMatchObject({ line: 3, column: 1, path: ['personna'] });
    expect(thrown.message).toContain('5 problems in the manifests:\n  a.yaml:1:1: ');
  });
});

describe('a refusal of an agent', () => {
  it.each([
    ['an empty file', '', 'a.yaml:1:1: The file is empty; expected an agent.'],
    ['a list', '- a', 'a.yaml:1:1: Expected the file to be a mapping with the keys name'],
    [
      'a reserved name',
      LEAST.replace('ada', 'Conductor'),
      "a.yaml:1:7: `Conductor` is the engine's own actor.",
    ],
    [
      'a name with blanks',
      LEAST.replace('ada', 'Ada L.'),
      'a.yaml:1:7: Expected `name` to be a name: a letter',
    ],
    [
      'a blank persona',
      LEAST.replace('A lighthouse keeper.', '" "'),
      'a.yaml:2:10: Expected `persona` to be a non-empty string',
    ],
    [
      'an empty grant',
      LEAST.replace('[agent.spoke]', '[]'),
      'a.yaml:3:11: Expected `may_emit` to be a list of at least one kind',
    ],
    [
      'a kind of the engine',
      LEAST.replace('[agent.spoke]', '[agent.spoke, run.finished]'),
      'a.yaml:3:25: `run.finished` is written by the engine alone.',
    ],
    [
      'a doubled kind',
      LEAST.replace('[agent.spoke]', '[agent.spoke, agent.spoke]'),
      'a.yaml:3:25: `may_emit` contains this twice.',
    ],
    [
      'a kind that ends in a line break',
      LEAST.replace('[agent.spoke]', '["agent.spoke\\n"]'),
      'a.yaml:3:12: Expected `may_emit[0]` to be a kind',
    ],
    [
      'a subscription to no kind',
      LEAST.replace('[world.observed]', '[World]'),
      'a.yaml:4:17: Expected `subscribes_to[0].kind` to be a kind',
    ],
    [
      'a subscription with an unknown key',
      LEAST.replace('[world.observed]', '[{ kind: a.b, wen: {} }]'),
      'a.yaml:4:30: `wen` is not a key of `subscribes_to[0]`. Did you mean `when`?',
    ],
    [
      'a handler that is none',
      `${LEAST}handler: orakle\n`,
      'a.yaml:5:10: `orakle` is not a known handler. Did you mean `oracle`?',
    ],
    [
      'a tool',
      `${LEAST}tools: [hammer]\n`,
      'a.yaml:5:8: Expected `tools` to be absent: agents cannot call tools. Call one in a `handler`, or pass its result to the cast as a user message',
    ],
    [
      'a public field that is not declared',
      `${LEAST}output_extra_fields: [wants]\npublic_fields: [want]\n`,
      'a.yaml:6:17: `want` is not a known entry of `output_extra_fields`. Did you mean `wants`?',
    ],
    [
      'a text longer than a grammar accepts',
      `${LEAST}max_text_chars: 5000\n`,
      'a.yaml:5:17: Expected `max_text_chars` to be at most 2000, got `5000` (number).',
    ],
    [
      'a reserved field',
      `${LEAST}output_extra_fields: [mood, _raw_fallback]\n`,
      'a.yaml:5:29: `_raw_fallback` is a reserved field.',
    ],
    [
      'a field that reaches a prototype',
      `${LEAST}output_extra_fields: [constructor]\n`,
      'a.yaml:5:23: `constructor` is a reserved field.',
    ],
    [
      'a field that code stamps',
      `${LEAST}output_extra_fields:\n  - correct\n`,
      'a.yaml:6:5: `correct` is written by code alone.',
    ],
    [
      'a share of a turn',
      `${LEAST}schedule: { tick_every: 1.5 }\n`,
      'a.yaml:5:25: Expected `schedule.tick_every` to be a whole number of 0 or more, got `1.5` (number).',
    ],
    [
      'a profile that is none',
      `${LEAST}model_profile: huge\n`,
      'a.yaml:5:16: Expected `model_profile` to be one of tiny, fast, balanced, strong',
    ],
    [
      'an agent that nothing wakes',
      LEAST.replace('subscribes_to: [world.observed]\n', ''),
      'a.yaml:1:1: No event or schedule wakes this agent.',
    ],
    [
      'a key in camelCase',
      LEAST.replace('may_emit', 'mayEmit'),
      'a.yaml:3:1: `mayEmit` is not a key of an agent. Did you mean `may_emit`?',
    ],
    [
      'a yes that is not a boolean in YAML 1.2',
      `${LEAST}memory: { use_salience: yes }\n`,
      'a.yaml:5:25: Expected `memory.use_salience` to be true or false, got `"yes"` (string).',
    ],
  ])('%s is reported at its line and column', (_, text, expected) => {
    const problems = problemsOf(text);
    expect(problems.find((problem) => problem.startsWith(expected)) ?? problems).toContain(expected);
  });
});
