import { describe, expect, it } from 'vitest';
import { eventSchema } from './event-schema.ts';
import { parseAgentOutput } from './parse-agent-output.ts';

const CONTRACT = {
  allowedKinds: ['agent.spoke', 'judge.verdict'],
  fallbackKind: 'agent.spoke',
  extraFields: ['mood', 'winner'],
} as const;

function read(raw: string): unknown {
  const { payload, tier, repairs, violations } = parseAgentOutput(raw, CONTRACT);
  return [payload.text, tier, ...repairs.map(({ kind }) => kind), ...violations.map(({ code }) => code)];
}

describe('a reading that a person would make', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'keys of another case',
      '{"Kind":"agent.spoke","TEXT":"Hi.","Mood":"calm"}',
      ['strict', 'key-spelling', 'key-spelling', 'key-spelling'],
    ],
    [
      'a kind of another case',
      '{"kind":"Agent.Spoke","text":"Hi.","mood":"calm"}',
      ['strict', 'kind-spelling'],
    ],
    [
      'a text in an object',
      '{"kind":"agent.spoke","text":{"content":"Hi.","language":"en"},"mood":"calm"}',
      ['embedded', 'opened-wrapper'],
    ],
    [
      'escapes of JavaScript',
      String.raw`{"kind":"agent.spoke","text":"H\x69.","mood":"c\'alm"}`,
      ['repaired', 'escape'],
    ],
    [
      'a list with one name',
      '{"kind":"agent.spoke","text":"Hi.","mood":"calm","winner":["ivo"]}',
      ['embedded', 'opened-wrapper'],
    ],
  ])('is made, and labelled: %s', (_, raw, record) => {
    expect(read(raw)).toEqual(['Hi.', ...record]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      'two keys that differ in their case',
      '{"kind":"agent.spoke","Text":"A.","TEXT":"B.","mood":"x"}',
      ['raw', 'field-missing', 'unknown-field', 'unknown-field'],
    ],
    [
      'two texts in an object',
      '{"kind":"agent.spoke","text":{"content":"A.","text":"B."},"mood":"x"}',
      ['raw', 'wrong-type'],
    ],
    [
      'an incomplete escape',
      String.raw`{"kind":"agent.spoke","text":"\x6","mood":"x"}`,
      ['raw', 'no-object'],
    ],
    ['lines of YAML', 'kind: agent.spoke\ntext: Hi.\nmood: calm', ['raw', 'no-object']],
    ['an invisible line', '{"kind":"agent.spoke","text":"\u200B\u200B ","mood":"x"}', ['raw', 'text-empty']],
  ])('is not made of %s, and nothing is spoken', (_, raw, record) => {
    expect(read(raw)).toEqual(['', ...record]);
  });

  it('is no winner if the list has several names, or one that is not known', () => {
    const schema = eventSchema({ ...CONTRACT, winners: ['ivo', 'hedda'] });
    const winnerOf = (winner: unknown): unknown => {
      const event = { kind: 'agent.spoke', text: 'Hi.', mood: 'calm', winner };
      const result = schema['~standard'].validate(event);
      return 'value' in result ? result.value['winner'] : 'refused';
    };
    expect([['ivo'], ['ivo', 'hedda'], ['nobody'], []].map(winnerOf)).toEqual([
      'ivo',
      'refused',
      'refused',
      'refused',
    ]);
  });
});

it('an act that is quoted in a broken event is not done', () => {
  const grant = { ...CONTRACT, extraFields: ['to'] };
  for (const raw of [
    '{"kind":"agent.spoke","text":"I would say {"kind":"judge.verdict","text":"north"} but no" "to":"x"}',
    '{"kind":"agent.spoke" "text":"main","alt":{"kind":"judge.verdict","text":"south"}}',
    '{"kind":"judge.verdict","text":"An example."} so {"kind":"agent.spoke" "text":"broken","to":x}',
  ]) {
    expect(parseAgentOutput(raw, grant)).toMatchObject({
      tier: 'raw',
      payload: { kind: 'agent.spoke', text: '' },
    });
  }
});
