import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import { anyText } from '../../../../test/any-text.ts';
import { eventSchema } from './event-schema.ts';
import { findJsonObjects } from '../output/candidates/find-json-objects.ts';
import { parseAgentOutput } from './parse-agent-output.ts';
import { readJsonObject } from '../json/repair/read-json-object.ts';
import { stubEvent } from './stub-event.ts';

const KINDS = ['agent.spoke', 'world.observed', 'judge.verdict'] as const;
const GRANT = { allowedKinds: KINDS, fallbackKind: 'agent.spoke' } as const;
const RUNS = { numRuns: matrixRuns(100, 500) };

/** Text similar enough to JSON to mislead a parser. */
const FRAGMENTS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '“',
  '”',
  ':',
  ',',
  '\\',
  '\n',
  ' ',
  '//',
  '```',
  '```json',
  '<think>',
  '</think>',
  '"kind":',
  '"text":',
  "'text': '",
  'kind:',
  '"agent.spoke"',
  '"judge.verdict"',
  '"secret.kind"',
  '"Hi."',
  'null',
  '{"kind":"agent.spoke","text":"Hi."}',
  '"__proto__":',
  '"_x":1',
  '12',
  '-',
  'True',
  '\\u00',
  '\\"',
  '5"',
  "it's",
] as const;
const fragment = fc.constantFrom(...FRAGMENTS);
const almostJson = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(''));
const said = fc.oneof(almostJson, anyText(), fc.json());

const text = fc
  .oneof(fc.string({ minLength: 1 }), fc.string({ minLength: 1, unit: 'grapheme' }), almostJson)
  // A text of characters without a shape is refused as empty.
  .filter((value) => /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/u.test(value))
  .filter((value) => !['...', '…'].includes(value.trim()));
const event = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    text,
    extras: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/u), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }),
  })
  .map(({ kind, text, extras }) => ({ ...(JSON.parse(JSON.stringify(extras)) as object), kind, text }))
  // Sanitizing has separate tests.
  .filter((value) => !/"(?:__proto__|constructor|prototype)":/u.test(JSON.stringify(value)));

describe('on any text', () => {
  it('never throws, and returns a granted kind', () => {
    fc.assert(
      fc.property(
        said,
        fc.option(fc.constant(['mood', 'winner', 'scores']), { nil: undefined }),
        (raw, extraFields) => {
          const options = extraFields === undefined ? GRANT : { ...GRANT, extraFields };
          const { payload, tier } = parseAgentOutput(raw, options);
          expect(KINDS).toContain(payload.kind);
          expect(payload.text).toBeTypeOf('string');
          expect(payload._raw_fallback).toBe(tier === 'raw' ? true : undefined);
          if (tier !== 'raw') expect(payload.text.trim()).not.toBe('');
        },
      ),
      { numRuns: matrixRuns(500, 3_000) },
    );
  });

  it('never throws on other values than text', () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        // Callers without types exist.
        const { payload } = parseAgentOutput(raw as string, GRANT);
        expect(KINDS).toContain(payload.kind);
      }),
      RUNS,
    );
  });

  it('returns a payload that survives JSON, without reserved or prototype keys', () => {
    fc.assert(
      fc.property(said, (raw) => {
        const { payload, tier } = parseAgentOutput(raw, GRANT);
        const json = JSON.stringify(payload);
        // JSON does not preserve negative zero.
        expect(JSON.stringify(JSON.parse(json))).toBe(json);
        expect(json).not.toMatch(/"(?:__proto__|constructor|prototype)":/u);
        expect(Object.keys(payload).filter((key) => key.startsWith('_'))).toEqual(
          tier === 'raw' ? ['_raw_fallback'] : [],
        );
      }),
      RUNS,
    );
  });
});

describe('an event that is rendered', () => {
  it('as JSON is parsed strictly and unchanged', () => {
    fc.assert(
      fc.property(event, fc.nat(4), (value, indent) => {
        expect(parseAgentOutput(JSON.stringify(value, undefined, indent), GRANT)).toEqual({
          payload: value,
          tier: 'strict',
          repairs: [],
          violations: [],
        });
      }),
      RUNS,
    );
  });

  const renderings: readonly (readonly [string, (json: string) => string])[] = [
    ['in a fence', (json) => `\`\`\`json\n${json}\n\`\`\``],
    ['in prose', (json) => `Sure, it's 5" tall { here:\n${json}\nHope that helps!`],
    ['after reasoning', (json) => `<think>What about {"kind": "agent.spoke", "text": "x"}?</think>${json}`],
    ['before another object', (json) => `${json}\n{"confidence": 0.9}`],
    ['in an array', (json) => `[${json}]`],
    ['in a wrapper', (json) => `{"response": ${json}}`],
    ['in a wrapper, in a fence', (json) => `\`\`\`\n{"output": ${json}}\n\`\`\``],
  ];

  it.each(renderings)('%s is parsed', (_, render) => {
    fc.assert(
      fc.property(event, (value) => {
        const { payload, tier, violations } = parseAgentOutput(render(JSON.stringify(value)), GRANT);
        expect(payload).toEqual(value);
        expect(tier).toBe('embedded');
        expect(violations).toEqual([]);
      }),
      RUNS,
    );
  });

  it('and then cut off anywhere returns its kind and the beginning of its text, or nothing', () => {
    fc.assert(
      fc.property(event, fc.double({ min: 0, max: 1, noNaN: true }), ({ kind, text }, share) => {
        const json = JSON.stringify({ kind, text });
        const { payload, tier } = parseAgentOutput(json.slice(0, Math.floor(json.length * share)), GRANT);
        if (tier === 'raw') expect(payload.text).toBe('');
        else expect(payload.kind === kind && text.startsWith(payload.text)).toBe(true);
      }),
      RUNS,
    );
  });
});

it('reads an object that needs no repair as `JSON.parse` does', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (object, indent) => {
      const json = JSON.stringify(object, undefined, indent);
      const { status, found, end } = readJsonObject(`${json} and more`, 0, 'text');
      expect({ status, end, found }).toEqual({
        status: 'complete',
        end: json.length,
        found: { value: JSON.parse(json) as unknown, repairs: [], start: 0, end: json.length },
      });
    }),
    { numRuns: matrixRuns(200, 1_000) },
  );
});

describe('the work', () => {
  const UNITS = [
    '{',
    '{"a":',
    '{"a":[',
    '{"',
    '{"a":"{\'',
    '[{',
    '{"a":"{',
    '"{":",',
    '{//',
    '{\'a":"{',
    '{a:',
    '<think>{',
    '{}',
    '{"a":"b",',
    '" {',
  ];

  it.each(UNITS)('on %j repeated grows with the length of the text', (unit) => {
    const workOf = (times: number): number => findJsonObjects(unit.repeat(times), 'text').work;
    expect(workOf(40_000) / workOf(10_000)).toBeLessThan(5);
  });

  it('stays under 32 readings of any text', () => {
    fc.assert(
      fc.property(fc.array(fragment, { minLength: 1, maxLength: 6 }), (unit) => {
        const long = unit.join('').repeat(2_000);
        expect(findJsonObjects(long, 'text').work).toBeLessThan(long.length * 32 + 20_000);
      }),
      { numRuns: 60 },
    );
  });
});

it('the stub answers through the same contract, the same each time', () => {
  fc.assert(
    fc.property(fc.string(), fc.subarray(['mood', 'winner', 'scores', 'thought']), (seed, extraFields) => {
      const contract = { allowedKinds: KINDS, extraFields, winners: ['ada', 'bob'] };
      const raw = stubEvent({ ...contract, seed });
      expect(stubEvent({ ...contract, seed })).toBe(raw);
      const { payload, ...record } = parseAgentOutput(raw, { ...GRANT, extraFields });
      expect(record).toEqual({ tier: 'strict', repairs: [], violations: [] });
      expect(eventSchema(contract)['~standard'].validate(payload)).toEqual({ value: payload });
    }),
    RUNS,
  );
});
