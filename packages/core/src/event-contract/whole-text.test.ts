import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from './parse-agent-output.ts';

const CONTRACT = { allowedKinds: ['agent.spoke'], fallbackKind: 'agent.spoke' } as const;
const EVENT = '{"kind":"agent.spoke","text":"Hi."}';

describe('an event whose object is not written as one', () => {
  it.each<[string, string, string]>([
    ['inside a JSON string', JSON.stringify(EVENT), 'parsed-string'],
    ['inside a JSON string with space around it', JSON.stringify(` ${EVENT} `), 'parsed-string'],
    ['with escaped quotes', EVENT.replaceAll('"', String.raw`\"`), 'parsed-string'],
    [
      'with escaped quotes and line breaks',
      String.raw`{\n \"kind\":\"agent.spoke\",\"text\":\"Hi.\"}`,
      'parsed-string',
    ],
    ['without both braces', EVENT.slice(1, -1), 'missing-braces'],
    ['without the first brace', EVENT.slice(1), 'missing-braces'],
    ['without both braces, and the text first', '"text":"Hi.","kind":"agent.spoke"', 'missing-braces'],
  ])('is read, and the repair is named: %s', (_name, raw, kind) => {
    expect(parseAgentOutput(raw, CONTRACT)).toEqual({
      payload: { kind: 'agent.spoke', text: 'Hi.' },
      tier: 'repaired',
      repairs: [{ kind, path: [] }],
      violations: [],
    });
  });

  it('is not made of a quoted word with a colon', () => {
    const { payload, tier } = parseAgentOutput('"Well": she paused, "text".', CONTRACT);
    expect([payload.text, tier]).toEqual(['"Well": she paused, "text".', 'raw']);
  });
});

describe('speech', () => {
  it.each<[string, string, string]>([
    ['a JSON string is its contents, without space around them', '" Hello there. "', 'Hello there.'],
    ['two backquotes at the end stay', 'Type ``', 'Type ``'],
    ['space around it is removed', '  Hello.\n', 'Hello.'],
    ['a bracket within is no JSON', 'I saw it [twice].', 'I saw it [twice].'],
  ])('%s', (_name, raw, text) => {
    const { payload, tier } = parseAgentOutput(raw, CONTRACT);
    expect([payload.text, tier]).toEqual([text, 'raw']);
  });

  it.each(['[1, 2]', '12', 'true', '[not json'])('is never JSON: %s', (raw) => {
    expect(parseAgentOutput(raw, CONTRACT).payload.text).toBe('');
  });

  it('does not hide a cut object behind a closing fence', () => {
    const { payload, tier } = parseAgentOutput('{"kind":"agent.spoke","text":"Hi. I \n```', CONTRACT);
    expect([payload.text, tier]).toEqual(['Hi. I', 'repaired']);
  });
});

it('JSON of more depth than a stack has is not parsed, and not spoken', () => {
  const raw = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(parseAgentOutput(raw, CONTRACT).payload).toEqual({
    kind: 'agent.spoke',
    text: '',
    _raw_fallback: true,
  });
});
