import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { notProducedError } from '../definition/answer-errors.ts';
import { describeFailure } from './describe-failure.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { safeExtractOutput } from '../extract-output.ts';
import { Output } from '../output.ts';

const failureOf = async (said: string, definition: AnyOutputDefinition): Promise<StructuredOutputError> => {
  const result = await safeExtractOutput(said, definition);
  if (result.success) throw new TypeError('Expected a failure.');
  return result.error;
};

const json = Output.json({ tag: 'r' });
const person = Output.object({ tag: 'r', schema: z.object({ name: z.string(), ages: z.array(z.int()) }) });

describe('describeFailure', () => {
  it('reports the line, column and offset of a JSON error, with an excerpt', async () => {
    const said =
      '<r>\n{\n  "a": 1,\n  "b": tru,\n  "c": "a long text that is not to be repeated, at all"\n}\n</r>';
    expect(describeFailure(await failureOf(said, json), { retriesLeft: 3 })).toBe(
      [
        String.raw`Your answer in <r> is not valid JSON: unexpected "," at line 3, column 11 (offset 22), near " \"a\": 1,\n \"b\": tru,\n \"c\": \"a long tex".`,
        'Send only the whole corrected answer between <r> and </r>. Do not redo the work: change no files and run no commands, unless a value is missing. Tries left after this one: 3.',
      ].join('\n'),
    );
  });

  it.each([
    ['I put it in <r> and close with </r>.', true],
    ['<r>, then the end: </r>', true],
    ['<r>{"a":tru}</r>', false],
    ['<r>tru</r>', true],
    ['<r>NaN</r>', false],
    ['<r>"text</r>', false],
  ])('says of `%s` whether a mention of the tag was read: %s', async (said, isMention) => {
    expect(describeFailure(await failureOf(said, json)).includes('a mention of the tag was read')).toBe(
      isMention,
    );
  });

  it.each([
    ['{"a":1', 'the text ends too early'],
    ['', 'there is no value'],
    ['{"a":1} x', 'unexpected "x" after the value'],
    ['{"__proto__":1}', 'the key `__proto__` could reach a prototype'],
    ['[1,]', 'unexpected "]"'],
    ['1.x', 'unexpected "x"'],
    ['\u{1F600}', 'unexpected "\u{1F600}"'],
  ])('reports the error in `%s`', async (inside, told) => {
    expect(describeFailure(await failureOf(`<r>${inside}</r>`, json))).toContain(told);
  });

  it('reports each issue with its path and value', async () => {
    const said = '<r>{"name":7,"ages":[1,2.5,"x",{"deep":1}]}</r>';
    const lines = describeFailure(await failureOf(said, person)).split('\n');
    expect(lines[0]).toBe('Your answer in <r> does not fit its schema:');
    expect(lines[1]).toMatch(/^- ages\[1\]: .* \(got 2\.5\)$/u);
    expect(lines[2]).toMatch(/^- ages\[2\]: .* \(got "x"\)$/u);
    expect(lines[3]).toMatch(/^- ages\[3\]: .* \(got an object\)$/u);
    expect(lines[4]).toMatch(/^- name: .* \(got 7\)$/u);
    expect(lines).toHaveLength(6);
    expect(describeFailure(await failureOf(said, person), { values: false })).not.toContain('(got');
  });

  it('reports the received value of a choice', async () => {
    const choice = Output.choice({ tag: 'r', options: ['a', 'b'] });
    expect(describeFailure(await failureOf('<r>c</r>', choice))).toContain(
      '- (root): Expected one of "a", "b" (got "c")',
    );
  });

  it('reports a missing value only as missing', async () => {
    const line = describeFailure(await failureOf('<r>{"name":"x"}</r>', person)).split('\n')[1];
    expect(line).toMatch(/^- ages: /u);
    expect(line).not.toContain('(got');
  });

  it('counts the omitted issues', async () => {
    const said = `<r>{"name":"x","ages":${JSON.stringify(Array.from({ length: 30 }, () => 'x'))}}</r>`;
    const lines = describeFailure(await failureOf(said, person)).split('\n');
    expect(lines).toHaveLength(23);
    expect(lines[21]).toBe('- … and 10 more');
    expect(describeFailure(await failureOf(said, person), { maxIssues: 2 }).split('\n')).toHaveLength(5);
  });

  it('is never longer than allowed, and ends with the instruction as long as there is room for one', async () => {
    const said = `<r>{"name":"${'😀'.repeat(500)}","ages":${JSON.stringify(Array.from({ length: 300 }, () => 'long '.repeat(40)))}}</r>`;
    const error = await failureOf(said, person);
    for (const maxChars of [0, 1, 10, 100, 170, 200, 300, 1_000, 2_000]) {
      const text = describeFailure(error, { maxChars, maxIssues: 300 });
      expect(text.length).toBeLessThanOrEqual(maxChars);
      if (maxChars >= 170) expect(text).toMatch(/…\nSend only .* missing\.$/u);
      expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/u);
    }
  });

  it('is never cut through a character of two units', async () => {
    const smile = '\u{1F600}'.repeat(100);
    const said = `<r>${JSON.stringify({ name: 'x', ages: [smile, `x${smile}`] })}</r>`;
    const error = await failureOf(said, person);
    for (let maxChars = 150; maxChars < 500; maxChars += 1) {
      expect(describeFailure(error, { maxChars })).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/u);
      expect(describeFailure(error, { maxChars }).isWellFormed()).toBe(true);
    }
  });

  it('repeats no large value', async () => {
    const secret = 'SECRET'.repeat(1_000);
    const error = await failureOf(`<r>{"name":["${secret}"],"ages":"${secret}"}</r>`, person);
    expect(describeFailure(error).length).toBeLessThan(600);
  });

  it.each([
    ['no tag', 'holds no answer between <r> and </r>'],
    ['<r>{"a":', 'was begun and not closed'],
  ])('reports `%s` with the literal tag', async (said, told) => {
    const text = describeFailure(await failureOf(said, json));
    expect(text).toContain(told);
    expect(text).toContain('between <r> and </r>. Do not redo the work');
  });

  it('reports an answer that is too large', async () => {
    const error = await failureOf('<r>12345</r>', Output.json({ tag: 'r', maxPayloadBytes: 2 }));
    expect(describeFailure(error)).toContain('too large');
  });

  it('names no tag if there is none', () => {
    const text = describeFailure(notProducedError(Output.json({})));
    expect(text).toContain('Send only the corrected structured answer');
    expect(text).not.toContain('<');
  });

  it('reports an answer that the schema could not validate', async () => {
    const moody = z.unknown().refine(() => {
      throw new TypeError('moody');
    });
    const text = describeFailure(await failureOf('<r>1</r>', Output.object({ tag: 'r', schema: moody })));
    expect(text).toContain('Your answer in <r> could not be checked.');
    expect(text).not.toContain('moody');
  });
});
