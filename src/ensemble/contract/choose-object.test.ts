import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from './parse-agent-output.ts';

const GRANT = { allowedKinds: ['agent.spoke', 'world.observed'], fallbackKind: 'agent.spoke' } as const;

function textOf(raw: string): string {
  return parseAgentOutput(raw, GRANT).payload.text;
}

describe('what an agent does not say', () => {
  it('is what it quotes in an object that cannot be read', () => {
    const raw = '{"text": "He wrote:", "quote": {"kind": "agent.spoke", "text": "Not me."} oops }';
    expect(textOf(raw)).toBe('');
  });

  it('is a draft in reasoning that only ends, also where words follow', () => {
    expect(textOf('{"kind": "agent.spoke", "text": "A draft."}</think>The lamp hums.')).toBe(
      'The lamp hums.',
    );
  });

  it('is a draft in reasoning that another mark seems to end', () => {
    expect(textOf('<think>Hm.</reason>{"kind": "agent.spoke", "text": "A draft."}')).toBe('');
  });
});

describe('the words themselves', () => {
  it('are those of a JSON string, without its quotes', () => {
    expect(textOf('"The lamp hums."')).toBe('The lamp hums.');
  });

  it('keep a backtick at the end of a text that was cut off, which is no fence', () => {
    expect(textOf('{"kind": "agent.spoke", "text": "Type `x`')).toBe('Type `x`');
  });
});

describe('a kind', () => {
  it('is not mended where its quotes are broken: that would be a guess of what it may do', () => {
    const { tier, payload } = parseAgentOutput('{"kind": "agent."spoke"", "text": "Hi there."}', GRANT);
    expect([tier, payload.text]).toEqual(['raw', '']);
  });

  it('that two granted kinds are alike is neither of them', () => {
    const kinds = ['agent.spoke', 'Agent.Spoke', 'world.observed'] as const;
    const { payload, requestedKind } = parseAgentOutput('{"kind": "AGENT.SPOKE", "text": "Hi there."}', {
      allowedKinds: kinds,
      fallbackKind: 'world.observed',
    });
    expect([payload.kind, requestedKind]).toEqual(['world.observed', 'AGENT.SPOKE']);
  });
});

describe('of several readings', () => {
  it('the object itself is taken before an equal one inside of it', () => {
    expect(textOf('{"text": "Outer.", "event": {"text": "Inner."}}')).toBe('Outer.');
  });

  it('a granted kind is taken before any number of declared fields', () => {
    const names = Array.from({ length: 1_200 }, (_, index) => `field${index}`);
    const fields = names.map((name) => `"${name}": "x"`).join(', ');
    const raw = `{"kind": "agent.spoke", "text": "Granted."} {"kind": "other.kind", "text": "Many.", ${fields}}`;
    expect(parseAgentOutput(raw, { ...GRANT, extraFields: names }).payload.text).toBe('Granted.');
  });
});

describe('a field beside those of the contract', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

  it('is kept to a depth of 64, and not deeper', () => {
    const parse = (depth: number): readonly string[] =>
      parseAgentOutput(
        `{"kind": "agent.spoke", "text": "Hi there.", "x": ${nested(depth)}}`,
        GRANT,
      ).violations.map(({ code }) => code);
    expect(parse(64)).toEqual([]);
    expect(parse(65)).toEqual(['too-deep']);
  });

  it('is no number beyond all numbers, which no JSON could hold', () => {
    const raw = '{"kind": "agent.spoke", "text": "Hi there.", "x": 1e999, "y": 1}';
    const { payload, violations } = parseAgentOutput(raw, GRANT);
    expect(payload).toEqual({ kind: 'agent.spoke', text: 'Hi there.', y: 1 });
    expect(violations).toMatchObject([{ code: 'wrong-type', field: 'x' }]);
  });
});
