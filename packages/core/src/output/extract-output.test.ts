import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { StructuredOutputError } from '../errors/structured-output-error.ts';
import { extractOutput, safeExtractOutput } from './extract-output.ts';
import { Output } from './output.ts';

const answer = Output.object({ tag: 'result', schema: z.object({ answer: z.number() }) });
const anything = Output.json({ tag: 'result' });
const text = Output.string({ tag: 'result' });

const failureOf = async (
  said: string,
  definition: Parameters<typeof safeExtractOutput>[1],
): Promise<StructuredOutputError> => {
  const result = await safeExtractOutput(said, definition);
  if (result.success) throw new TypeError(`Expected a failure, got ${JSON.stringify(result.output)}`);
  return result.error;
};

const standardSchema = (
  validate: StandardSchemaV1<unknown, unknown>['~standard']['validate'],
): StandardSchemaV1<unknown, unknown> => ({ '~standard': { version: 1, vendor: 'test', validate } });

describe('a JSON answer', () => {
  it.each([
    ['text around one tag', 'Done.\n<result>{"answer":42}</result>\nBye.'],
    ['an earlier draft', '<result>{"answer":1}</result> No: <result>{"answer":42}</result>'],
    ['an invalid earlier draft', '<result>{"answer":</result> <result>{"answer":42}</result>'],
    ['a json fence on lines of its own', '<result>\n```json\n{"answer":42}\n```\n</result>'],
    ['a bare fence', '<result>```\n{"answer":42}\n```</result>'],
    ['an upper-case fence', '<result>\n```JSON\r\n{"answer":42}\r\n```\n</result>'],
    ['a fence on one line', '<result>```json {"answer":42}```</result>'],
    ['a longer fence', '<result>````json\n{"answer":42}\n`````</result>'],
    ['white space around the JSON', '<result>\n\n \t\u00A0{"answer": 42 }\uFEFF\n</result>'],
    ['a mention of the tag before it', 'I\'ll answer in a <result> tag: <result>{"answer":42}</result>'],
    ['a mention of the pair before it', 'I use <result>…</result> tags. <result>{"answer":42}</result>'],
    ['a dangling opening after it', '<result>{"answer":42}</result> See the <result> above.'],
    ['a dangling closing after it', '<result>{"answer":42}</result> closed by </result>'],
    ['a Markdown fence around the tags', '```\n<result>{"answer":42}</result>\n```'],
  ])('is found with %s', async (_, said) => {
    expect(await extractOutput(said, answer)).toEqual({ answer: 42 });
  });

  it.each([
    ['its opening', '{"note":"use the <result> tag"}'],
    ['its closing', '{"html":"</result>"}'],
    ['both', '{"html":"<result>{\\"a\\":</result>"}'],
    ['a whole pair, with quotes', '{"html":"<result>\\"</result>"}'],
    ['its opening a thousand times', JSON.stringify({ note: '<result>'.repeat(1_000) })],
    ['both in a key', '{"</result><result>":1}'],
  ])('can contain %s in a string', async (_, json) => {
    expect(await extractOutput(`<result>${json}</result>`, anything)).toEqual(JSON.parse(json));
  });

  it('can be nested deeper than the call stack', async () => {
    const nested = (depth: number): string => `<result>${'['.repeat(depth)}${']'.repeat(depth)}</result>`;
    const result = await safeExtractOutput(nested(100_000), anything);
    expect(result.success).toBe(true);
    // A text of more than 256 KiB is parsed only up to a depth of 10,000.
    const refused = await safeExtractOutput(nested(200_000), anything);
    expect(refused.success || refused.error.code).toBe('invalid-json');
  });

  it('has the output type of an asynchronous schema', async () => {
    const schema = z.object({ answer: z.string().transform(async (word) => word.length) });
    const output = Output.object({ tag: 'r', schema });
    expect(await extractOutput('<r>{"answer":"four"}</r>', output)).toEqual({ answer: 4 });
  });

  it('is any JSON value', async () => {
    for (const value of [null, true, 0, -1.5e3, '', 'text', [], {}, { nested: [{ list: [1, [2]] }] }]) {
      expect(await extractOutput(`<result>${JSON.stringify(value)}</result>`, anything)).toEqual(value);
    }
  });

  it('reports its position, the number of attempts, and a tag that was opened again', async () => {
    const said = 'A <result> ```\n{"answer":42}``` </result>, see <result>';
    const result = await safeExtractOutput(said.replace('```\n', '```\n'), answer);
    expect(result).toMatchObject({
      success: true,
      provenance: {
        mode: 'tag',
        raw: ' ```\n{"answer":42}``` ',
        span: { start: 10, end: 32 },
        repairs: [],
        attempts: [{ code: 'ok' }],
        unclosedTagAfterMatch: true,
        schemaHash: expect.stringMatching(/^[0-9a-f]{64}$/u) as unknown,
      },
    });
    const plain = await safeExtractOutput('<result>{"answer":42}</result>', answer);
    expect(plain.success && plain.provenance).not.toHaveProperty('unclosedTagAfterMatch');
  });
});

describe('a text answer', () => {
  it.each([
    ['is trimmed', '<result>\n  Two words \n</result>', 'Two words'],
    ['is the last of two', '<result>one</result><result>two</result>', 'two'],
    ['keeps its inner lines', '<result>\na\n\n  b\n</result>', 'a\n\n  b'],
    ['is not parsed', '<result>{"a":1}</result>', '{"a":1}'],
    ['keeps its fence', '<result>```\nx\n```</result>', '```\nx\n```'],
    ['runs from the latest opening', 'the <result> tag: <result>a</result>', 'a'],
    ['runs to the first closing', '<result>a</result> b</result>', 'a'],
    ['survives an opening after it', '<result>a</result> see <result>', 'a'],
    ['may be empty', '<result></result>', ''],
  ])('%s', async (_, said, expected) => {
    expect(await extractOutput(said, text)).toBe(expected);
  });
});

describe('a choice', () => {
  const verdict = Output.choice({ tag: 'v', options: ['merge', 'reject', '"quoted"'] });

  it.each([
    ['bare', '<v> merge\n</v>', 'merge'],
    ['a JSON string', '<v>"reject"</v>', 'reject'],
    ['an option that looks like a JSON string', '<v>"quoted"</v>', '"quoted"'],
  ])('is accepted as %s', async (_, said, expected) => {
    expect(await extractOutput(said, verdict)).toBe(expected);
  });

  it.each(['Merge', 'merge.', '```merge```', 'merge or reject', '"merge', ''])(
    'is not `%s`',
    async (said) => {
      const error = await failureOf(`<v>${said}</v>`, verdict);
      expect(error.code).toBe('schema-mismatch');
      expect(error.issues).toEqual([
        { path: [], message: 'Expected one of "merge", "reject", "\\"quoted\\""' },
      ]);
    },
  );
});

describe('an array', () => {
  const list = Output.array({ tag: 'list', element: z.object({ id: z.coerce.number() }) });

  it('contains the output of its element schema for each item', async () => {
    expect(await extractOutput('<list>[{"id":"1"},{"id":2,"extra":true}]</list>', list)).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
  });

  it('starts every path with the index, in the order of the elements', async () => {
    const said = JSON.stringify(Array.from({ length: 12 }, (_, id) => (id % 5 === 1 ? {} : { id })));
    const error = await failureOf(`<list>${said}</list>`, list);
    expect(error.issues.map(({ path }) => path)).toEqual([
      [1, 'id'],
      [6, 'id'],
      [11, 'id'],
    ]);
    expect(error.cause).toMatchObject([{ path: [1, 'id'] }, { path: [6, 'id'] }, { path: [11, 'id'] }]);
  });

  it('is an array, not an object', async () => {
    expect(await failureOf('<list>{"0":{"id":1}}</list>', list)).toMatchObject({
      code: 'schema-mismatch',
      issues: [{ path: [], message: 'Expected an array' }],
    });
  });

  it('waits for a thenable of any library', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- a promise of another realm is what is tested
    const later = { then: (resolve: (result: unknown) => void) => resolve({ value: 'later' }) };
    const element = standardSchema(() => later as unknown as Promise<{ value: unknown }>);
    expect(await extractOutput('<l>[1]</l>', Output.array({ tag: 'l', element }))).toEqual(['later']);
  });
});
