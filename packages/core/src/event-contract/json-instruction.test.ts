import { describe, expect, it } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import { jsonInstruction } from './json-instruction.ts';
import { parseAgentOutput } from './parse-agent-output.ts';

const PLAIN = { allowedKinds: ['world.observed', 'judge.verdict'] } as const;

/** The line of the block with a given label. */
function line(label: string, block: string): string {
  return (
    block
      .split('\n')
      .find((each) => each.startsWith(label))
      ?.slice(label.length)
      .trim() ?? ''
  );
}

describe('jsonInstruction', () => {
  it('asks for a single JSON object of a granted kind, and nothing else', () => {
    expect(jsonInstruction(PLAIN)).toBe(
      [
        'OUTPUT FORMAT',
        'Reply with a single JSON object and nothing else — no prose before or after.',
        'Schema: {"kind": "...", "text": "..."}',
        'kind must be one of: world.observed | judge.verdict',
        'text must be one or two sentences, vivid and specific.',
        'Example: {"kind": "world.observed", "text": "A paper lantern drifts over the frozen harbour, and nobody claims it."}',
      ].join('\n'),
    );
  });

  it('includes the extra fields in the schema and in the example', () => {
    const block = jsonInstruction({ ...PLAIN, extraFields: ['emotion', 'wants'] });
    expect(JSON.parse(line('Schema:', block))).toEqual({
      kind: '...',
      text: '...',
      emotion: '...',
      wants: '...',
    });
    expect(Object.keys(JSON.parse(line('Example:', block)) as object)).toEqual([
      'kind',
      'text',
      'emotion',
      'wants',
    ]);
  });

  it('renders a typed hint for `winner` and `scores`, on a line that is valid JSON', () => {
    const block = jsonInstruction({ ...PLAIN, extraFields: ['mood', 'winner', 'scores'] });
    expect(line('Schema:', block)).toContain(
      `"winner": "<a player's name, or null>", "scores": {"<player>": 7}`,
    );
    expect(JSON.parse(line('Schema:', block))).toMatchObject({ mood: '...', scores: { '<player>': 7 } });
    expect(block).toContain('0 to 10');
  });

  it('names the winners that may be chosen', () => {
    const block = jsonInstruction({ ...PLAIN, extraFields: ['winner'], winners: ['ada', 'bob'] });
    expect(block).toContain('winner must be one of: ada | bob, or null');
  });

  it('contains no usable event: a model that repeats it is rejected', () => {
    const block = jsonInstruction({ ...PLAIN, extraFields: ['mood', 'scores'] });
    const { payload, tier } = parseAgentOutput(block, { ...PLAIN, fallbackKind: 'world.observed' });
    expect({ tier, text: payload.text }).toEqual({ tier: 'raw', text: '' });
  });

  it.each([
    ['an empty grant', { allowedKinds: [] }],
    ['a kind without a name', { allowedKinds: [' '] }],
    ['an extra field named `text`', { ...PLAIN, extraFields: ['text'] }],
    ['winners that are no list', { ...PLAIN, winners: 'ada' as never }],
  ])('refuses %s', (_, options) => {
    expect(() => jsonInstruction(options)).toThrow(UsageError);
  });
});
