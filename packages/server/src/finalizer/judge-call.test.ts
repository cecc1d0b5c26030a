import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { envelope } from '@truecast/core/internal/output/judge/judged';
import { Output } from '@truecast/core/internal/output/output';
import { judgeReply } from '@truecast/core/internal/output/judge/drive';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import { judgeStep, type JudgedCall } from './judge-call.ts';
import { rejectionText } from './rejection-texts.ts';

const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'number' }, tag: { enum: ['a', 'b'] } },
  required: ['n'],
  additionalProperties: false,
};
const validator = compileJsonSchema(SCHEMA);
const judge = (text: string, by = validator): JudgedCall =>
  judgeStep({ submissions: [{ text }] }, { validator: by });
const judgeText = (text: string): JudgedCall => judgeStep({ text }, { validator }, 'text');

describe('an answer', () => {
  it('is canonical JSON whose numbers keep all their digits', () => {
    expect(judge('{"output": {"tag": "a", "n": 9007199254740993} }')).toMatchObject({
      type: 'accepted',
      valueText: '{"n":9007199254740993,"tag":"a"}',
      repairs: [],
    });
  });

  it.each([
    ['{"output":{"output":{"n":1}}}', ['unwrapped-output']],
    [String.raw`{"output":"{\"n\":1}"}`, ['parsed-string']],
    [String.raw`{"output":"{\"output\":{\"n\":1}}"}`, ['parsed-string', 'unwrapped-output']],
    [String.raw`"{\"output\":{\"n\":1}}"`, ['parsed-string']],
  ])('is unwrapped from its envelope, and the repair is reported: %s', (args, repairs) => {
    expect(judge(args)).toMatchObject({ type: 'accepted', valueText: '{"n":1}', repairs });
  });

  it('keeps the digits of an unwrapped answer', () => {
    expect(judge(String.raw`{"output":"{\"n\": 9007199254740993}"}`)).toMatchObject({
      valueText: '{"n":9007199254740993}',
    });
    expect(judge('{"output":{"output":{"n":9007199254740993}}}')).toMatchObject({
      valueText: '{"n":9007199254740993}',
    });
  });

  it('can be text from a schema mode', () => {
    expect(judgeText(' {"n": 1}\n')).toMatchObject({
      type: 'accepted',
      valueText: '{"n":1}',
    });
    expect(judgeText('')).toEqual({ type: 'none' });
    for (const text of ['1},"x":{"n":1', '{"n":1}}', 'so: {"n":1}']) {
      expect(judgeText(text)).toMatchObject({ type: 'rejected', code: 'malformed' });
    }
  });
});

it.each([
  ['{"output":{"n":1}}'],
  [String.raw`"{\"n\":1}"`],
  [String.raw`{"output":"{\"n\":1}"}`],
  [String.raw`"{\"output\":{\"n\":1}}"`],
  ['{"output":{"output":{"output":{"n":1}}}}'],
  ['{"output":{"n":1},"more":0}'],
])('has the repairs of the native, tool and MCP modes: %s', async (text) => {
  const definition = Output.object({ schema: jsonSchema.unchecked(SCHEMA) });
  const native = await judgeReply({ text }, definition, { mode: 'native' });
  const submitted = await judgeReply({ submissions: [{ text: envelope(text) }] }, definition, {
    mode: 'mcp',
  });
  const repairsOf = (answer: SafeExtractResult<unknown>): readonly string[] | undefined =>
    answer.success ? answer.provenance.repairs.map(({ kind }) => kind) : undefined;
  const judged = judgeText(text);
  expect(repairsOf(native)).toEqual(judged.type === 'accepted' ? judged.repairs : undefined);
  expect(repairsOf(submitted)).toEqual(repairsOf(native));
});

describe('is rejected, with its rule', () => {
  const REJECTED: readonly (readonly [string, string, string, string])[] = [
    ['{"output":', 'malformed', '', 'Expected one whole JSON value'],
    ['{"output":NULL}', 'malformed', '', 'Expected one whole JSON value'],
    ['{"output":more than}', 'malformed', '', 'Expected one whole JSON value'],
    ['{"output":{"n":1}} {}', 'malformed', '', 'Expected one whole JSON value'],
    ['{"output":{"n":1,"n":2}}', 'malformed', '/n', 'Expected each key once in an object'],
    [String.raw`{"output":"{\"n\":1,\"n\":2}"}`, 'invalid', '', 'Expected object'],
    [String.raw`{"output":{"n":"\u0000"}}`, 'invalid', '/n', 'Expected number'],
    [
      String.raw`{"output":{"n":"\udead"}}`,
      'malformed',
      '/n',
      'Expected whole characters, not half of a surrogate pair',
    ],
    ['{"output":{"n":1e400}}', 'malformed', '/n', 'Expected numbers that a double can hold'],
    [`{"output":${'['.repeat(65)}${']'.repeat(65)}}`, 'malformed', '/0'.repeat(64), 'Expected less nesting'],
    // Cut before it is stored.
    [`{"output":${'['.repeat(989)}`, 'malformed', '/0'.repeat(64), 'Expected less nesting'],
    ['{"output":[[', 'malformed', '', 'Expected one whole JSON value'],
    [`{"output":[${'1,'.repeat(20_000)}1]}`, 'malformed', '/19998', 'Expected fewer values'],
    [`{"output":"${'x'.repeat(256 * 1024)}"}`, 'too_large', '', 'Expected at most 262144 bytes'],
    [
      '{"answer":{"n":1}}',
      'invalid',
      '',
      'Expected an object with the one key "output", which holds the whole answer',
    ],
    ['{"output":{"n":"SECRET"}}', 'invalid', '/n', 'Expected number'],
    ['{"output":{}}', 'invalid', '', 'Missing required property `n`'],
    ['{"output":{"n":1,"more":"SECRET"}}', 'invalid', '/more', 'Unexpected property'],
    ['{"output":{"n":1,"tag":"SECRET"}}', 'invalid', '/tag', 'Expected one of "a", "b"'],
  ];

  it.each(REJECTED.map(([args, code, path, rule]) => ({ args, code, path, rule, start: args.slice(0, 40) })))(
    '$start',
    ({ args, code, path, rule }) => {
      expect(judge(args)).toMatchObject({ type: 'rejected', code, issues: [{ path, rule }] });
    },
  );

  it('reports at most four issues, in the order of their paths, in at most 1 KiB', () => {
    const wide = compileJsonSchema({ type: 'object', additionalProperties: { type: 'null' } });
    const keys = Array.from(
      { length: 30 },
      (_none, index) => `${'ü'.repeat(90)}${String(index).padStart(2, '0')}`,
    );
    const output = Object.fromEntries(keys.map((key) => [key, 'SECRET']));
    const judged = judge(JSON.stringify({ output }), wide);
    if (judged.type !== 'rejected') throw new TypeError('not rejected');
    const text = rejectionText({ code: judged.code, issues: judged.issues });
    expect(judged.issues.length).toBeLessThanOrEqual(4);
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(1_024);
    expect(text).toContain('again');
    expect(text).not.toContain('SECRET');
  });
});

it.each(['{"name":"…","tags":["…"]}', '{"name":"string","tags":["string"]}'])(
  'what a prompt shows of the schema is no answer, as text and as a call: %s',
  (shown) => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      required: ['name', 'tags'],
    };
    const asked = { validator: compileJsonSchema(schema), schema };
    for (const judged of [
      judgeStep({ text: shown }, asked, 'text'),
      judgeStep({ submissions: [{ text: `{"output":${shown}}` }] }, asked),
    ]) {
      expect(judged).toMatchObject({
        type: 'rejected',
        issues: [{ rule: 'Expected an answer, not the sample or the schema of the answer' }],
      });
    }
    const other = judgeStep({ text: shown.replace(']', ',"x"]') }, asked, 'text');
    expect(other).toMatchObject({ type: 'accepted' });
  },
);

it('a number of the demonstration is no answer after one', () => {
  const text = '{"n":40961}';
  const rule = 'Expected an answer, not the sample or the schema of the answer';
  expect(judgeStep({ text }, { validator }, 'text', true)).toMatchObject({ issues: [{ rule }] });
  expect(judgeStep({ text }, { validator }, 'text')).toMatchObject({ type: 'accepted' });
  expect(judgeStep({ text: '{"n":140961}' }, { validator }, 'text', true)).toMatchObject({
    type: 'accepted',
  });
});

it('never repeats a value of the model', () => {
  const leaf = fc.constantFrom<unknown>(
    'MARKER',
    'x, got MARKER',
    'MARKER, got y',
    77_777,
    { n: 'MARKER' },
    ['MARKER'],
    null,
  );
  const value = fc.oneof(
    leaf,
    fc.array(leaf),
    fc.dictionary(fc.constantFrom('n', 'tag', 'text', 'list'), leaf),
  );
  const strict = compileJsonSchema({
    type: 'object',
    properties: {
      n: { type: 'integer', minimum: 1, maximum: 5, multipleOf: 2 },
      tag: { anyOf: [{ const: 'a' }, { type: 'object', properties: { n: { const: 1 } }, required: ['n'] }] },
      text: { type: 'string', minLength: 100, pattern: '^a', format: 'email' },
      list: { type: 'array', items: { not: {} }, contains: { const: 1 }, uniqueItems: true },
    },
    propertyNames: { pattern: '^.{1,3}$' },
    maxProperties: 2,
    required: ['n'],
  });
  fc.assert(
    fc.property(value, (output) => {
      const judged = judge(JSON.stringify({ output }), strict);
      if (judged.type !== 'rejected') return;
      expect(rejectionText({ code: judged.code, issues: judged.issues })).not.toMatch(/MARKER|77777/u);
    }),
  );
});

it('accepts every valid value, with canonical JSON for its text', () => {
  const any = compileJsonSchema({});
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1), (output, space) => {
      const judged = judge(JSON.stringify({ output }, undefined, space), any);
      if (judged.type === 'rejected') expect(judged.code).toBe('malformed');
      else {
        expect(judged.type === 'accepted' && judged.valueText).toBe(
          canonicalJson(JSON.parse(JSON.stringify(output))),
        );
      }
    }),
  );
});
