import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from './parse-agent-output.ts';

const CONTRACT = { allowedKinds: ['agent.spoke', 'judge.verdict'], fallbackKind: 'agent.spoke' } as const;
const read = (event: unknown, options: object = {}): ReturnType<typeof parseAgentOutput> =>
  parseAgentOutput(JSON.stringify(event), { ...CONTRACT, ...options });

describe('a kind that is no text', () => {
  it.each<[string, unknown, string]>([
    ['an empty list', [], '`[]` (array)'],
    ['a list', [1], '`[…]` (array)'],
    ['an object', { a: 1 }, '`{…}` (object)'],
    ['null', null, '`null`'],
    ['a number', 3, '`3` (number)'],
  ])('is replaced, and shown in a few characters: %s', (_name, kind, got) => {
    expect(read({ kind, text: 'Hi.' })).toEqual({
      payload: { kind: 'agent.spoke', text: 'Hi.' },
      tier: 'strict',
      repairs: [],
      violations: [{ code: 'kind-not-granted', field: 'kind', got }],
    });
  });
});

describe('a kind of another spelling', () => {
  it('is granted up to 200 characters, spaces included', () => {
    const kind = `${' '.repeat(189)}agent.spoke`;
    expect(read({ kind, text: 'Hi.' })).toMatchObject({ violations: [] });
    const longer = read({ kind: ` ${kind}`, text: 'Hi.' });
    expect(longer.violations).toMatchObject([{ code: 'kind-not-granted' }]);
  });
});

describe('values that no event may have', () => {
  it('are removed where they are, and reported with their path', () => {
    const raw =
      '{"kind":"agent.spoke","text":"Hi.","a":{"__proto__":1,"b":[{"constructor":2,"c":3},4]},"n":1e999}';
    expect(parseAgentOutput(raw, CONTRACT)).toEqual({
      payload: { kind: 'agent.spoke', text: 'Hi.', a: { b: [{ c: 3 }, 4] } },
      tier: 'strict',
      repairs: [],
      violations: [
        { code: 'reserved-field', field: 'a.__proto__', got: '`1` (number)' },
        { code: 'reserved-field', field: 'a.b.0.constructor', got: '`2` (number)' },
        { code: 'wrong-type', field: 'n', got: '`Infinity` (number)' },
      ],
    });
  });

  it('are removed from declared fields too', () => {
    const raw = '{"kind":"agent.spoke","text":"Hi.","mood":1e999}';
    const { violations } = parseAgentOutput(raw, { ...CONTRACT, extraFields: ['mood'] });
    expect(violations[0]).toEqual({ code: 'wrong-type', field: 'mood', got: '`Infinity` (number)' });
  });
});

describe('a wrapper around the event', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['an object', { event: { kind: 'judge.verdict', text: 'Hi.' } }, ['opened-wrapper']],
    ['a list', { events: [{ kind: 'judge.verdict', text: 'Hi.' }] }, ['opened-wrapper']],
    [
      'an object as text',
      { event: ' {"kind":"judge.verdict","text":"Hi."}' },
      ['opened-wrapper', 'parsed-string'],
    ],
  ])('is opened: %s', (_name, event, repairs) => {
    const result = read(event);
    expect(result.payload).toEqual({ kind: 'judge.verdict', text: 'Hi.' });
    expect(result.repairs.map(({ kind }) => kind)).toEqual(repairs);
  });

  it('is not opened for an object that is an event already', () => {
    const quoted = { kind: 'judge.verdict', text: 'Quoted.' };
    expect(read({ kind: 'agent.spoke', text: 'Hi.', quoted }).payload).toEqual({
      kind: 'agent.spoke',
      text: 'Hi.',
      quoted,
    });
  });

  it('is not opened by text that begins like an object and is none', () => {
    expect(read({ note: '{ well' }).payload.text).toBe('');
  });
});

describe('of several events', () => {
  const two = (first: object, second: object): unknown =>
    parseAgentOutput(`${JSON.stringify(first)}\n${JSON.stringify(second)}`, {
      ...CONTRACT,
      extraFields: ['mood'],
    }).payload;

  it('the last of equals is the answer', () => {
    const event = { kind: 'agent.spoke', mood: 'calm' };
    expect(two({ ...event, text: 'Draft.' }, { ...event, text: 'Final.' })).toMatchObject({ text: 'Final.' });
  });

  it('one with a text comes before one without, whatever else they have', () => {
    const kept = { text: 'Kept.' };
    const withoutText = { kind: 'judge.verdict', mood: 'calm' };
    expect(two(kept, withoutText)).toMatchObject({ text: 'Kept.' });
    expect(two(withoutText, kept)).toMatchObject({ text: 'Kept.' });
  });

  it('the one with more declared fields is the answer', () => {
    const more = { kind: 'agent.spoke', text: 'More.', mood: 'calm' };
    const less = { kind: 'agent.spoke', text: 'Less.' };
    expect(two(more, less)).toMatchObject({ text: 'More.' });
    expect(two(less, more)).toMatchObject({ text: 'More.' });
  });
});
