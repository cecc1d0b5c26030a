import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from './parse-agent-output.ts';

const GRANT = { allowedKinds: ['agent.spoke', 'world.observed'], fallbackKind: 'agent.spoke' } as const;

function textOf(raw: string): string {
  return parseAgentOutput(raw, GRANT).payload.text;
}

describe('text that is not the agent’s answer', () => {
  it('includes quotes in an unreadable object', () => {
    const raw = '{"text": "He wrote:", "quote": {"kind": "agent.spoke", "text": "Not me."} oops }';
    expect(textOf(raw)).toBe('');
  });

  it('includes a draft in reasoning with only an end marker, even if text follows', () => {
    expect(textOf('{"kind": "agent.spoke", "text": "A draft."}</think>The lamp hums.')).toBe(
      'The lamp hums.',
    );
  });

  it('includes a draft in reasoning that another marker seems to end', () => {
    expect(textOf('<think>Hm.</reason>{"kind": "agent.spoke", "text": "A draft."}')).toBe('');
  });
});

describe('the text itself', () => {
  it('is the content of a JSON string, without its quotes', () => {
    expect(textOf('"The lamp hums."')).toBe('The lamp hums.');
  });

  it('keeps a backtick at the end of a cut text, which is not a fence', () => {
    expect(textOf('{"kind": "agent.spoke", "text": "Type `x`')).toBe('Type `x`');
  });
});

describe('a kind', () => {
  it('is not repaired if its quotes are broken, because that would guess a permission', () => {
    const { tier, payload } = parseAgentOutput('{"kind": "agent."spoke"", "text": "Hi there."}', GRANT);
    expect([tier, payload.text]).toEqual(['raw', '']);
  });

  it('that matches two granted kinds is neither of them', () => {
    const kinds = ['agent.spoke', 'Agent.Spoke', 'world.observed'] as const;
    const { payload, requestedKind } = parseAgentOutput('{"kind": "AGENT.SPOKE", "text": "Hi there."}', {
      allowedKinds: kinds,
      fallbackKind: 'world.observed',
    });
    expect([payload.kind, requestedKind]).toEqual(['world.observed', 'AGENT.SPOKE']);
  });
});

describe('of several readings', () => {
  it('the object itself takes precedence over an equal one inside it', () => {
    expect(textOf('{"text": "Outer.", "event": {"text": "Inner."}}')).toBe('Outer.');
  });

  it('a granted kind takes precedence over any number of declared fields', () => {
    const names = Array.from({ length: 1_200 }, (_, index) => `field${index}`);
    const fields = names.map((name) => `"${name}": "x"`).join(', ');
    const raw = `{"kind": "agent.spoke", "text": "Granted."} {"kind": "other.kind", "text": "Many.", ${fields}}`;
    expect(parseAgentOutput(raw, { ...GRANT, extraFields: names }).payload.text).toBe('Granted.');
  });
});

describe('a field outside the contract', () => {
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

  it('is never an infinite number, which JSON cannot represent', () => {
    const raw = '{"kind": "agent.spoke", "text": "Hi there.", "x": 1e999, "y": 1}';
    const { payload, violations } = parseAgentOutput(raw, GRANT);
    expect(payload).toEqual({ kind: 'agent.spoke', text: 'Hi there.', y: 1 });
    expect(violations).toMatchObject([{ code: 'wrong-type', field: 'x' }]);
  });
});
