import { describe, expect, it } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import { Output } from '../output/output.ts';
import { safeExtractOutput } from '../output/extract-output.ts';
import { compileJsonSchema } from '../schema/engine/compile-json-schema.ts';
import { toJsonSchema } from '../schema/to-json-schema.ts';
import type { EventContractOptions } from './event-options.ts';
import { eventSchema } from './event-schema.ts';

const JUDGE = { allowedKinds: ['judge.verdict', 'agent.spoke'], extraFields: ['mood', 'winner', 'scores'] };
const VERDICT = { kind: 'judge.verdict', text: 'Ada wins.', mood: 'stern' };

/** Validation result: the value, or the paths and messages of the issues. */
function validate(value: unknown, options: EventContractOptions = JUDGE): unknown {
  const result = eventSchema(options)['~standard'].validate(value);
  if (result instanceof Promise) throw new TypeError('It answers at once.');
  if (result.issues === undefined) return result.value;
  return result.issues.map(({ path, message }) => `${(path ?? []).map(String).join('.')}: ${message}`);
}

describe('eventSchema', () => {
  it('accepts a kind of the grant only', () => {
    expect(validate({ ...VERDICT, kind: 'run.finished' })).toEqual([
      'kind: Expected one of: judge.verdict | agent.spoke, got `"run.finished"` (string).',
    ]);
    expect(validate({ ...VERDICT, kind: 'Judge.Verdict' })).toHaveLength(1);
  });

  it('requires a non-empty text', () => {
    for (const text of [undefined, null, 42, '', '  ', '...']) {
      expect(validate({ ...VERDICT, text })).toHaveLength(1);
    }
  });

  it('requires ordinary extra fields as strings', () => {
    expect(validate({ ...VERDICT, mood: undefined })).toEqual(['mood: Expected a string, got `undefined`.']);
    expect(validate({ ...VERDICT, mood: 3 })).toEqual(['mood: Expected a string, got `3` (number).']);
  });

  it('gives `winner` and `scores` their defaults', () => {
    expect(validate(VERDICT)).toEqual({ ...VERDICT, winner: null, scores: {} });
    expect(validate({ ...VERDICT, winner: '' })).toEqual({ ...VERDICT, winner: null, scores: {} });
  });

  it('types `winner` and `scores`', () => {
    const given = { ...VERDICT, winner: 'ada', scores: { ada: 9.5 } };
    expect(validate(given)).toEqual(given);
    expect(validate({ ...VERDICT, winner: 1 })).toEqual([
      'winner: Expected a name or null, got `1` (number).',
    ]);
  });

  it('coerces scores, and drops those without a number', () => {
    const scores = { ada: '9', bob: Number.NaN, cara: '7,5 / 10', dan: 'high', eve: [1], fay: ' 8 points' };
    expect(validate({ ...VERDICT, scores })).toMatchObject({ scores: { ada: 9, cara: 7.5, fay: 8 } });
    for (const other of [null, 'ten', [7], 3]) {
      expect(validate({ ...VERDICT, scores: other })).toMatchObject({ scores: {} });
    }
  });

  it('limits the text and each extra string, in code points', () => {
    const long = 'x'.repeat(1_001);
    expect(validate({ ...VERDICT, text: long })).toEqual([
      expect.stringMatching(/^text: Expected at most 1000 characters/u),
    ]);
    expect(validate({ ...VERDICT, mood: long })).toHaveLength(1);
    expect(validate({ ...VERDICT, text: '\u{1F600}'.repeat(1_000) })).toMatchObject({ winner: null });
    expect(validate({ ...VERDICT, text: '\u{1F600}'.repeat(1_001) })).toHaveLength(1);
    expect(validate({ ...VERDICT, text: 'Ada wins.' }, { ...JUDGE, maxTextChars: 8 })).toHaveLength(1);
    expect(() => eventSchema({ ...JUDGE, maxTextChars: 0 })).toThrow(UsageError);
  });

  it('rejects an extra field that repeats the prompt', () => {
    for (const mood of ['...', ' … ', 'a few words']) {
      expect(validate({ ...VERDICT, mood })).toEqual([
        expect.stringMatching(/^mood: Expected its own text/u),
      ]);
    }
  });

  it('drops undeclared fields, including reserved flags', () => {
    expect(validate({ ...VERDICT, secret: 1, _raw_fallback: true })).toEqual({
      ...VERDICT,
      winner: null,
      scores: {},
    });
  });

  it('accepts any winner name', () => {
    const value = { ...VERDICT, winner: 'nobody we know', scores: {} };
    expect(validate(value, { ...JUDGE, winners: ['ada', 'bob'] })).toEqual(value);
  });

  it('accepts objects only', () => {
    for (const value of [null, [], 'text', 1, undefined]) expect(validate(value)).toHaveLength(1);
  });

  it.each<readonly [string, EventContractOptions]>([
    ['an empty grant', { allowedKinds: [] }],
    ['an extra field named `kind`', { allowedKinds: ['a.b'], extraFields: ['kind'] }],
    ['an extra field named `text`', { allowedKinds: ['a.b'], extraFields: ['text'] }],
    ['an extra field that begins with `_`', { allowedKinds: ['a.b'], extraFields: ['_x'] }],
  ])('refuses %s', (_, options) => {
    expect(() => eventSchema(options)).toThrow(UsageError);
  });
});

describe('its JSON Schema', () => {
  it('agrees with the validator', () => {
    expect(toJsonSchema(eventSchema({ ...JUDGE, winners: ['ada', 'bob'] }))).toEqual({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['judge.verdict', 'agent.spoke'] },
        text: { type: 'string', minLength: 1, maxLength: 1_000 },
        mood: { type: 'string', maxLength: 1_000 },
        winner: { enum: ['ada', 'bob', null] },
        scores: { type: 'object', additionalProperties: { type: 'number' } },
      },
      required: ['kind', 'text', 'mood'],
      additionalProperties: false,
    });
  });

  it('allows a string or null as winner if no names are known', () => {
    const { validate } = compileJsonSchema(toJsonSchema(eventSchema(JUDGE)));
    for (const winner of ['anyone', null]) expect(validate({ ...VERDICT, winner }).valid).toBe(true);
    expect(validate({ ...VERDICT, winner: 1 }).valid).toBe(false);
  });

  it('is refused in a dialect that would read it differently', () => {
    const { jsonSchema } = eventSchema(JUDGE)['~standard'];
    expect(jsonSchema.input({ target: 'draft-07' })).toEqual(jsonSchema.input({ target: 'draft-2020-12' }));
    expect(() => jsonSchema.input({ target: 'openapi-3.0' })).toThrow(UsageError);
  });
});

it('works in an output definition', async () => {
  const output = Output.object({ tag: 'event', schema: eventSchema(JUDGE) });
  const result = await safeExtractOutput(`<event>${JSON.stringify(VERDICT)}</event>`, output);
  expect(result).toMatchObject({ success: true, output: { ...VERDICT, winner: null, scores: {} } });
});
