import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { StructuredOutputError } from '../errors/structured-output-error.ts';
import { UsageError } from '../errors/usage-error.ts';
import { extractOutput, safeExtractOutput } from './extract-output.ts';
import { Output } from './output.ts';
import { createTagScanner } from './tag-scanner.ts';

const answer = Output.object({ tag: 'result', schema: z.object({ answer: z.number() }) });
const anything = Output.json({ tag: 'result' });
const thrown = new RangeError('no stack left');

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

describe('a failure', () => {
  it.each([
    ['no tag', 'All done!'],
    ['an attribute', '<result type="json">{"answer":42}</result>'],
    ['another case', '<Result>{"answer":42}</Result>'],
    ['a longer name', '<results>{"answer":42}</results>'],
    ['an opening that nothing follows', 'I use <result> tags.'],
    ['a closing alone', '{"answer":42}</result>'],
    ['white space after the opening only', '<result>  \n'],
    ['backticks around the opening', 'I use ```<result>```'],
  ])('is `tag-not-found` for %s', async (_, said) => {
    const error = await failureOf(said, answer);
    expect(error).toMatchObject({ code: 'tag-not-found', tag: 'result', rawMatched: undefined, commits: [] });
    expect(error.message).toContain('<result>');
    expect(error.attempts).toEqual([{ code: 'tag-not-found', message: error.message }]);
  });

  it.each([
    ['prose', 'not json', 'not json'],
    ['nothing', '', ''],
    ['a trailing comma', '{"answer":42,}', '{"answer":42,}'],
    ['a comment', '{"answer":42}// ok', '{"answer":42}// ok'],
    ['single quotes', "{'answer':42}", "{'answer':42}"],
    ['prose around a fence', 'Here: ```json\n{"answer":42}\n```', 'Here: ```json\n{"answer":42}\n```'],
    ['a json5 fence', '```json5\n{"answer":42}\n```', '```json5\n{"answer":42}\n```'],
    ['a jsonc fence', '```jsonc\n{"answer":42}\n```', '```jsonc\n{"answer":42}\n```'],
    ['a json5 fence on one line', '```json5 {"answer":42}```', '```json5 {"answer":42}```'],
    ['another fence', '```yaml\n{"answer":42}\n```', '```yaml\n{"answer":42}\n```'],
    ['a shorter closing fence', '````\n{"answer":42}\n```', '````\n{"answer":42}\n```'],
    ['two values', '{"answer":42} {"answer":42}', '{"answer":42} {"answer":42}'],
    ['an unfinished value', '{"answer":', '{"answer":'],
  ])('is `invalid-json` for %s', async (_, inside, raw) => {
    const error = await failureOf(`<result>${inside}</result>`, answer);
    expect(error).toMatchObject({ code: 'invalid-json', rawMatched: raw, issues: [] });
    expect(error.cause).toBeInstanceOf(SyntaxError);
    expect(error.message).toContain('invalid JSON');
    expect(error.message).not.toContain('\n');
  });

  it('is not hidden by an earlier, valid draft', async () => {
    const draft = '<result>{"answer":42}</result>';
    expect((await failureOf(`${draft}<result>oops</result>`, answer)).code).toBe('invalid-json');
    expect((await failureOf(`${draft}<result>{"answer":"x"}</result>`, answer)).code).toBe('schema-mismatch');
    expect((await failureOf(`${draft}<result>{"answer":4`, answer)).code).toBe('truncated');
  });

  it('is `invalid-json` for a closing tag that is still held at the end', async () => {
    expect(await failureOf('<result>{"html":"</result>', answer)).toMatchObject({
      code: 'invalid-json',
      rawMatched: '{"html":"',
    });
    expect(await failureOf('<result>{"html":"\\</result>, and </result>', answer)).toMatchObject({
      code: 'invalid-json',
      rawMatched: '{"html":"\\',
    });
  });

  it.each([
    '{"answer":42',
    '{"answer":42}',
    '42',
    '"text',
    '```json\n{"answer":42}\n```',
    '[{"a":[1,',
    '\n```',
    '```j',
    '\n```json\n',
    '\n``',
    ' `',
  ])('is `truncated` when the text ends after `%s`', async (begun) => {
    const error = await failureOf(`<result>0</result> <result>${begun}`, answer);
    expect(error).toMatchObject({ code: 'truncated', rawMatched: begun });
    expect(error.cause).toBeUndefined();
  });

  it('is none if the tag is only mentioned at the end', async () => {
    const said = 'Here: <result>{"answer":42}</result> It stands in `<result>`';
    expect(await safeExtractOutput(said, answer)).toMatchObject({ success: true, output: { answer: 42 } });
  });

  it("is `schema-mismatch` with the validator's own issues untouched, and in one shape", async () => {
    const issues = [
      { message: 'second', path: [{ key: 'list' }, 10] },
      { message: 'third', path: ['name'] },
      { message: 'first', path: ['list', { key: 9 }] },
      { message: 'root' },
    ];
    const output = Output.object({ tag: 'result', schema: standardSchema(() => ({ issues })) });
    const error = await failureOf('<result>{}</result>', output);
    expect(error).toMatchObject({ code: 'schema-mismatch', rawMatched: '{}' });
    expect(error.cause).toBe(issues);
    expect(error.issues).toEqual([
      { path: [], message: 'root' },
      { path: ['list', 9], message: 'first' },
      { path: ['list', 10], message: 'second' },
      { path: ['name'], message: 'third' },
    ]);
    expect(error.message).toContain('schema validation');
    expect(error.message).toContain('at (root): root (and 3 more)');
  });

  it('is `schema-mismatch` for a JSON string where an object is required: the tag mode repairs nothing', async () => {
    expect((await failureOf('<result>"{\\"answer\\":42}"</result>', answer)).code).toBe('schema-mismatch');
    expect((await failureOf('<result>{"output":{"answer":42}}</result>', answer)).code).toBe(
      'schema-mismatch',
    );
  });

  it.each([
    [
      'throws',
      () => {
        throw thrown;
      },
    ],
    ['rejects', () => Promise.reject(thrown)],
  ])('is `validator-error` when the schema %s', async (_, validate) => {
    const object = Output.object({ tag: 'r', schema: standardSchema(validate) });
    const array = Output.array({ tag: 'r', element: standardSchema(validate) });
    for (const output of [object, array]) {
      const error = await failureOf('<r>[1]</r>', output);
      expect(error.code).toBe('validator-error');
      expect(error.cause).toBe(thrown);
    }
  });

  it.each([
    ['{"__proto__":{"admin":true}}', '`__proto__`'],
    ['{"a":[0,{"__proto__":1}]}', '`a[1].__proto__`'],
    [String.raw`{"\u005f_proto__":1}`, '`__proto__`'],
    ['{"constructor":{"prototype":{"x":1}}}', '`constructor.prototype`'],
    [String.raw`{"b":{"constructo\u0072":{"prototype":1}}}`, '`b.constructor.prototype`'],
  ])('is `invalid-json` for a key that could reach a prototype: %s', async (json, path) => {
    const error = await failureOf(`<result>${json}</result>`, anything);
    expect(error.code).toBe('invalid-json');
    expect(error.message).toContain(path);
  });

  it.each(['{"note":"__proto__"}', '{"constructor":"x"}', '{"prototype":{"constructor":{}}}'])(
    'does not occur for %s',
    async (json) => {
      expect((await safeExtractOutput(`<result>${json}</result>`, anything)).success).toBe(true);
    },
  );

  it('is `too-large` for more bytes of UTF-8 than allowed, and not for as many', async () => {
    const output = Output.json({ tag: 'r', maxPayloadBytes: 8 });
    expect(await extractOutput('<r>"123456"</r>', output)).toBe('123456');
    expect(await extractOutput('<r>"ééé"</r>', output)).toBe('ééé');
    for (const inside of ['"1234567"', '"éééé"', '        1', '"12345678901234567']) {
      const error = await failureOf(`<r>${inside}</r>`, output);
      expect(error).toMatchObject({ code: 'too-large', rawMatched: undefined });
    }
    expect((await failureOf('<r>"12345678901', output)).code).toBe('too-large');
    // Cut off inside a value that is too large and that mentions the tag near its end.
    expect((await failureOf('<r>"12345678901<r>x', output)).code).toBe('too-large');
    expect((await failureOf('<r>123456789</r>', Output.string({ tag: 'r', maxPayloadBytes: 8 }))).code).toBe(
      'too-large',
    );
  });

  it('is `validator-error` when the schema overflows the stack', async () => {
    const dive = (): { value: unknown } => dive();
    const error = await failureOf(
      '<r>1</r>',
      Output.object({ tag: 'r', schema: standardSchema(() => dive()) }),
    );
    expect(error).toMatchObject({ code: 'validator-error', rawMatched: '1', issues: [] });
    expect(error.cause).toBeInstanceOf(RangeError);
    expect(error.attempts).toEqual([{ code: 'validator-error', message: error.message, rawMatched: '1' }]);
  });

  it.each([
    ['a live string', '<r>"é longer than allowed '],
    ['a live string that mentions a closing', '<r>"é longer than </r> allowed '],
    ['a live array', '<r>[1, 2, 3, 4, 5, '],
    ['a sealed match', '<r>"é longer than allowed"</r>'],
  ])('that is too large does not hide a good match after it: %s', async (_, large) => {
    const output = Output.json({ tag: 'r', maxPayloadBytes: 8 });
    // A number leaves the large string as a candidate; a string's quote ends it.
    for (const good of [12, 'ééé']) {
      const said = `${large}<r>${JSON.stringify(good)}</r>`;
      const scanner = createTagScanner(output);
      for (const unit of said.split('')) scanner.push(unit);
      for (const result of [await safeExtractOutput(said, output), await scanner.finish()]) {
        expect(result).toMatchObject({ success: true, output: good });
      }
    }
  });

  it('is `too-large` piece by piece for the same bytes as for the whole', async () => {
    const output = Output.json({ tag: 'r', maxPayloadBytes: 8 });
    for (const [inside, code] of [
      ['"ééé"', 'ok'],
      ['"éééé"', 'too-large'],
      ['"éé\u{1F600}"', 'too-large'],
      ['"é\u{1F600}"', 'ok'],
    ]) {
      const scanner = createTagScanner(output);
      for (const unit of `<r>${inside}</r>`.split('')) scanner.push(unit);
      const result = await scanner.finish();
      expect(result.success ? 'ok' : result.error.code).toBe(code);
    }
  });

  it('is reported for the match, not for the text after it', async () => {
    const output = Output.json({ tag: 'r', maxPayloadBytes: 20 });
    expect(await failureOf(`<r>{"a":"</r>\n${'x'.repeat(100)}`, output)).toMatchObject({
      code: 'invalid-json',
      rawMatched: '{"a":"',
    });
  });

  it('says in one line, with at most 200 characters of the answer, what to do next', async () => {
    const error = await failureOf(`<result>{"a":\n"${'x'.repeat(5_000)}",}</result>`, answer);
    expect(error.message).not.toContain('\n');
    expect(error.message.length).toBeLessThan(600);
    expect(error.message).toContain('maxCorrections');
  });

  it('rejects with the error in `extractOutput`', async () => {
    await expect(extractOutput('nothing', answer)).rejects.toSatisfy(StructuredOutputError.isInstance);
    expect(() => createTagScanner(Output.json({}))).toThrow(UsageError);
  });
});
