import { describe, expect, it } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import { parseAgentOutput } from './parse-agent-output.ts';

const GRANT = { allowedKinds: ['agent.spoke', 'world.observed'], fallbackKind: 'agent.spoke' } as const;
const EVENT = { kind: 'world.observed', text: 'The path folds itself into a crane.' };
const JSON_EVENT = JSON.stringify(EVENT);

describe('the three tiers', () => {
  it('parses valid JSON', () => {
    expect(parseAgentOutput(JSON_EVENT, GRANT)).toEqual({
      payload: EVENT,
      tier: 'strict',
      repairs: [],
      violations: [],
    });
  });

  it('extracts JSON embedded in prose', () => {
    expect(parseAgentOutput(`Certainly! Here is the JSON: ${JSON_EVENT} Enjoy.`, GRANT)).toEqual({
      payload: EVENT,
      tier: 'embedded',
      repairs: [],
      violations: [],
    });
  });

  it('wraps pure text in the fallback kind, with `_raw_fallback`', () => {
    const raw = 'The mushrooms charge admission.';
    const { payload, tier } = parseAgentOutput(raw, GRANT);
    expect(payload).toEqual({ kind: 'agent.spoke', text: raw, _raw_fallback: true });
    expect(tier).toBe('raw');
  });

  it('preserves extra fields, alongside `text` and `kind`, whatever their type', () => {
    const extras = { emotion: 'desperate', wants: ['a door'], winner: 7, depth: { of: null } };
    const { payload } = parseAgentOutput(JSON.stringify({ ...EVENT, ...extras }), GRANT);
    expect(payload).toEqual({ ...EVENT, ...extras });
  });
});

describe('the grant', () => {
  it('replaces an invalid kind with the fallback, and reports it', () => {
    const raw = JSON.stringify({ kind: 'judge.verdict', text: 'Guilty.' });
    expect(parseAgentOutput(raw, GRANT)).toEqual({
      payload: { kind: 'agent.spoke', text: 'Guilty.' },
      tier: 'strict',
      repairs: [],
      violations: [{ code: 'kind-not-granted', field: 'kind', got: '`"judge.verdict"` (string)' }],
      requestedKind: 'judge.verdict',
    });
  });

  it('uses the fallback for an answer without a kind', () => {
    const { payload, violations, requestedKind } = parseAgentOutput('{"text":"Hm."}', GRANT);
    expect(payload).toEqual({ kind: 'agent.spoke', text: 'Hm.' });
    expect(violations).toEqual([{ code: 'kind-missing', field: 'kind', got: '`undefined`' }]);
    expect(requestedKind).toBeUndefined();
  });

  it.each(['World.Observed', ' world.observed ', 'world. observed'])(
    'repairs the kind %j, and reports it',
    (kind) => {
      const result = parseAgentOutput(JSON.stringify({ ...EVENT, kind }), GRANT);
      expect(result).toEqual({
        payload: EVENT,
        tier: 'strict',
        repairs: [{ kind: 'kind-spelling', path: ['kind'] }],
        violations: [],
        requestedKind: kind,
      });
    },
  );

  it('rejects an ambiguous kind', () => {
    const allowedKinds = ['a.b', 'A.b'];
    const { payload } = parseAgentOutput('{"kind":"a.B","text":"x"}', { allowedKinds, fallbackKind: 'a.b' });
    expect(payload.kind).toBe('a.b');
  });

  it.each([
    ['no kinds', { allowedKinds: [], fallbackKind: 'a.b' as never }],
    ['a fallback that is not granted', { allowedKinds: ['a.b'], fallbackKind: 'c.d' as 'a.b' }],
    ['an extra field named `kind`', { ...GRANT, extraFields: ['kind'] }],
    ['an extra field named `text`', { ...GRANT, extraFields: ['text'] }],
    ['an extra field that begins with `_`', { ...GRANT, extraFields: ['_raw_fallback'] }],
    ['an extra field that reaches a prototype', { ...GRANT, extraFields: ['constructor'] }],
    ['an extra field named twice', { ...GRANT, extraFields: ['mood', 'mood'] }],
  ])('is refused with %s', (_, options) => {
    expect(() => parseAgentOutput('', options)).toThrow(UsageError);
  });
});

describe('the fields', () => {
  it('are only the declared ones when they are declared', () => {
    const raw = JSON.stringify({ ...EVENT, mood: 'calm', secret: 1 });
    const { payload, violations } = parseAgentOutput(raw, { ...GRANT, extraFields: ['mood'] });
    expect(payload).toEqual({ ...EVENT, mood: 'calm' });
    expect(violations).toEqual([{ code: 'unknown-field', field: 'secret', got: '`1` (number)' }]);
    expect(parseAgentOutput(raw, { ...GRANT, extraFields: [] }).payload).toEqual(EVENT);
  });

  it('of a wrong type are violations, and omitted', () => {
    const raw = JSON.stringify({ ...EVENT, mood: 3, winner: 5, scores: { ada: 7, bob: 'nine' } });
    const { payload, violations, repairs } = parseAgentOutput(raw, {
      ...GRANT,
      extraFields: ['mood', 'winner', 'scores'],
    });
    expect(payload).toEqual({ ...EVENT, winner: null, scores: { ada: 7 } });
    expect(repairs).toEqual([{ kind: 'dropped-value', path: ['scores', 'bob'] }]);
    expect(violations.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'wrong-type mood',
      'wrong-type winner',
    ]);
  });

  it('that are too long are shortened, and labelled', () => {
    const endless = 'huge '.repeat(400_000);
    const options = { ...GRANT, extraFields: ['mood'] };
    const { payload, tier, repairs, violations } = parseAgentOutput(
      JSON.stringify({ ...EVENT, text: endless, mood: endless }),
      options,
    );
    expect([payload.text, payload['mood']].map((text) => Array.from(String(text)).length)).toEqual([
      1_000, 1_000,
    ]);
    expect(payload.text).toMatch(/huge…$/u);
    expect({ tier, repairs, violations }).toEqual({
      tier: 'strict',
      repairs: [
        { kind: 'shortened', path: ['text'] },
        { kind: 'shortened', path: ['mood'] },
      ],
      violations: [],
    });
    const raw = parseAgentOutput(endless, { ...options, maxTextChars: 20 });
    expect(raw.payload).toEqual({
      kind: GRANT.fallbackKind,
      text: 'huge huge huge huge…',
      _raw_fallback: true,
    });
    expect(raw.repairs).toEqual([{ kind: 'shortened', path: ['text'] }]);
  });

  it('that are missing are violations, but the well-known ones have defaults', () => {
    const { payload, violations } = parseAgentOutput(JSON_EVENT, {
      ...GRANT,
      extraFields: ['mood', 'winner', 'scores'],
    });
    expect(payload).toEqual({ ...EVENT, winner: null, scores: {} });
    expect(violations).toEqual([{ code: 'field-missing', field: 'mood', got: '`undefined`' }]);
  });

  it('that begin with `_` or reach a prototype are dropped and reported', () => {
    const raw = `{"kind":"agent.spoke","text":"Hi.","_raw_fallback":true,"__proto__":{"a":1},"constructor":{},"deep":[{"prototype":1,"b":2}]}`;
    const { payload, tier, violations } = parseAgentOutput(raw, GRANT);
    expect(payload).toEqual({ kind: 'agent.spoke', text: 'Hi.', deep: [{ b: 2 }] });
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    expect(tier).toBe('strict');
    expect(violations.map(({ code, field }) => `${code} ${field}`)).toEqual([
      'reserved-field _raw_fallback',
      'reserved-field __proto__',
      'reserved-field constructor',
      'reserved-field deep.0.prototype',
    ]);
  });

  it('that are nested too deeply are omitted, and the text is kept', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const { payload, violations } = parseAgentOutput(
      `{"kind":"agent.spoke","text":"Hi.","x":${deep}}`,
      GRANT,
    );
    expect(payload.text).toBe('Hi.');
    expect(violations.map(({ code }) => code)).toEqual(['too-deep']);
    expect(() => JSON.stringify(payload)).not.toThrow();
  });
});

describe('marks of chat templates', () => {
  const options = {
    allowedKinds: ['agent.spoke'],
    fallbackKind: 'agent.spoke',
    extraFields: ['mood'],
  } as const;

  it('are no part of the speech', () => {
    const text =
      '<|channel|>analysis<|message|>The secret is COFFEE<|end|><|start|>assistant<|channel|>final<|message|>The lamp hums.<|return|>';
    expect(parseAgentOutput(text, options).payload.text).toBe('The lamp hums.');
    expect(parseAgentOutput('The lamp hums.<|im_end|>', options).payload.text).toBe('The lamp hums.');
  });

  it('hide no event', () => {
    const text = '<|channel|>final<|message|>{"kind":"agent.spoke","text":"The lamp hums."}<|end|>';
    expect(parseAgentOutput(text, options)).toMatchObject({
      tier: 'embedded',
      payload: { text: 'The lamp hums.' },
    });
  });

  it.each([
    '<|channel|>analysis<|message|>The secret is COFFEE',
    'The lamp hums.", "mood": "calm"}',
    '```json\n{a',
  ])('and fragments of JSON are never spoken: %s', (text) => {
    expect(parseAgentOutput(text, options)).toMatchObject({ tier: 'raw', payload: { text: '' } });
  });
});
