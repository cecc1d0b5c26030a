import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchema } from '../schema/json-schema.ts';
import { lowerJsonSchema } from '../schema/dialects/lower-json-schema.ts';
import { safeExtractOutput } from './extract-output.ts';
import { objectsIn } from './candidates/lenient-candidates.ts';
import { judgeReply } from './judge/drive.ts';
import { Output } from './output.ts';

const any = Output.json({ tag: 'r' });

describe('an answer whose parsed value differs from its text', () => {
  it('is `invalid-json` for a number out of range, with its place', async () => {
    const result = await safeExtractOutput('<r>{"a":[1e400]}</r>', any);
    expect(result).toMatchObject({ success: false, error: { code: 'invalid-json' } });
    expect(result).toHaveProperty('error.message', expect.stringContaining('a[0]'));
  });

  it.each([
    ['an integer above 2^53', '{"a":{"id":9007199254740993}}', ['a', 'id']],
    ['a doubled key', '{"a":1,"b":2,"a":3}', ['a']],
  ])('is an issue with a path for %s, in the modes of text', async (_, text, path) => {
    const expected = { success: false, error: { code: 'schema-mismatch', issues: [{ path }] } };
    expect(await safeExtractOutput(`<r>${text}</r>`, any)).toMatchObject(expected);
    for (const mode of ['native', 'json'] as const) {
      expect(await judgeReply({ text }, any, { mode })).toMatchObject(expected);
    }
  });

  it('is refused by the finalizer too', async () => {
    const reply = { submissions: [{ text: '{"output":{"id":9007199254740993}}' }] };
    const judged = await judgeReply(reply, any, { mode: 'mcp' });
    expect(judged).toMatchObject({ success: false, error: { issues: [{ path: ['id'] }] } });
  });

  it('is refused if another program parsed an integer that might be rounded', async () => {
    const text = JSON.stringify({ id: Number('9007199254740993') });
    const mode = 'native';
    expect((await judgeReply({ text }, any, { mode })).success).toBe(true);
    expect(await judgeReply({ text, isParsedElsewhere: true }, any, { mode })).toMatchObject({
      error: { issues: [{ path: ['id'] }] },
    });
  });

  it('stays a string if it was sent as JSON text in a string', async () => {
    const { inverse } = lowerJsonSchema({ type: 'object', properties: { meta: {} } }, 'openai');
    const result = await judgeReply({ text: '{"meta":"9007199254740993"}' }, any, {
      mode: 'native',
      inverse,
    });
    expect(result).toMatchObject({ success: true, output: { meta: '9007199254740993' } });
  });
});

describe('a key that could reach a prototype', () => {
  const schema = {
    type: 'object',
    properties: { meta: {}, map: { additionalProperties: { type: 'string' } } },
  };
  const { inverse } = lowerJsonSchema(schema, 'openai');
  it.each([
    ['JSON text', String.raw`{"meta":"{\"__proto__\":{\"admin\":true}}","map":null}`],
    ['escaped JSON text', String.raw`{"meta":"{\"\\u005f_proto__\":{\"admin\":true}}","map":null}`],
    ['an entry', '{"meta":null,"map":[{"key":"__proto__","value":"x"}]}'],
  ])('is refused in %s that the inverse reads', async (_, text) => {
    const output = Output.object({ schema: jsonSchema.unchecked(schema) });
    const result = await judgeReply({ text }, output, { mode: 'native', inverse });
    expect(result).toMatchObject({ success: false, error: { code: 'invalid-json' } });
  });
});

it('an answer too deep for a recursive schema is an issue that a retry can correct', async () => {
  const schema = jsonSchema.unchecked({ type: 'object', properties: { n: { $ref: '#' } } });
  const text = `${'{"n":'.repeat(2_000)}{}${'}'.repeat(2_000)}`;
  const result = await judgeReply({ text }, Output.object({ schema }), { mode: 'json' });
  expect(result).toMatchObject({ success: false, error: { code: 'schema-mismatch' } });
});

describe('an asynchronous check of Zod', () => {
  it('that rejects is a validator-error, and leaves no rejection behind', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const runs: number[] = [];
    const schema = z.object({
      a: z.string().refine(async () => {
        runs.push(1);
        await Promise.resolve();
        throw new TypeError('the database is down');
      }),
    });
    const output = Output.object({ schema });
    const result = await judgeReply({ text: '{"a":"x"}' }, output, { mode: 'json' });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(result).toMatchObject({ success: false, error: { code: 'validator-error' } });
    expect([unhandled, runs.length]).toEqual([[], 1]);
  });

  it('that finds an error returns its issues', async () => {
    const schema = z.array(z.string().refine(async (text) => (await Promise.resolve(text)) !== 'x', 'Not x'));
    const result = await judgeReply({ text: '["x"]' }, Output.object({ schema }), { mode: 'json' });
    expect(result).toMatchObject({ error: { issues: [{ path: [0], message: 'Not x' }] } });
  });
});

describe('half of a surrogate pair', () => {
  const text = String.raw`{"a":["\ud83d\ude00","x\ud800"]}`;
  const expected = { success: false, error: { code: 'schema-mismatch', issues: [{ path: ['a', 1] }] } };

  it('is an issue with a path on each route, written as an escape or as itself', async () => {
    for (const said of [text, text.replace(String.raw`\ud800`, '\ud800')]) {
      expect(await safeExtractOutput(`<r>${said}</r>`, any)).toMatchObject(expected);
      for (const mode of ['native', 'json'] as const) {
        expect(await judgeReply({ text: said }, any, { mode })).toMatchObject(expected);
      }
      for (const mode of ['tool', 'mcp'] as const) {
        const submissions = [{ text: `{"output":${said}}` }];
        expect(await judgeReply({ text: '', submissions }, any, { mode })).toMatchObject(expected);
      }
    }
  });

  it('is one in a longer text too, also after a repair', async () => {
    for (const said of [`Here: ${text}`, `Here: ${text.replaceAll('"', "'")}`]) {
      const judged = await judgeReply({ text: said }, any, { mode: 'json', reader: objectsIn });
      expect(judged.success).toBe(false);
    }
  });

  it('is one in plain text, in which digits are no number and escapes are letters', async () => {
    const prose = Output.string({ tag: 'r' });
    const said = String.raw`12345678901234567890 is "\ud800".`;
    expect(await safeExtractOutput(`<r>${said}</r>`, prose)).toMatchObject({ output: said });
    expect(await safeExtractOutput('<r>a\ud800</r>', prose)).toMatchObject({
      error: { code: 'schema-mismatch', issues: [{ path: [] }] },
    });
  });
});
