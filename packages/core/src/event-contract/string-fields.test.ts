import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from './parse-agent-output.ts';

const CONTRACT = {
  allowedKinds: ['agent.spoke'],
  fallbackKind: 'agent.spoke',
  extraFields: ['mood'],
  maxTextChars: 10,
} as const;

function read(event: object): unknown {
  const raw = JSON.stringify({ kind: 'agent.spoke', text: 'Hi.', ...event });
  const { payload, repairs } = parseAgentOutput(raw, CONTRACT);
  return [payload.text, payload['mood'], repairs];
}

describe('a text of at most 10 characters', () => {
  it.each(['0123456789', '🦉'.repeat(10)])('is kept, counted in code points: %s', (text) => {
    expect(read({ text })).toEqual([text, undefined, []]);
  });

  it.each<[string, string, string]>([
    ['ends with a mark', '0123456789a', '012345678…'],
    ['is cut between characters', '🦉'.repeat(11), `${'🦉'.repeat(9)}…`],
    ['has no space before the mark', '0123 6 8 abc', '0123 6 8…'],
    ['keeps the space before it', ' 123456789a', ' 12345678…'],
    ['of any length has the same beginning', 'a'.repeat(5_000), `${'a'.repeat(9)}…`],
  ])('that is longer %s', (_name, text, kept) => {
    expect(read({ text })).toEqual([kept, undefined, [{ kind: 'shortened', path: ['text'] }]]);
  });

  it('is the limit of each declared field', () => {
    expect(read({ mood: '0123456789a' })).toEqual([
      'Hi.',
      '012345678…',
      [{ kind: 'shortened', path: ['mood'] }],
    ]);
  });

  it('is the limit of speech too', () => {
    const { payload, tier, repairs } = parseAgentOutput('Well, hello there.', CONTRACT);
    expect([payload.text, tier, repairs]).toEqual([
      'Well, hel…',
      'raw',
      [{ kind: 'shortened', path: ['text'] }],
    ]);
  });
});
