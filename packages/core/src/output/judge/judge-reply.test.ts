import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { Output } from '../output.ts';
import { judgeReply } from './drive.ts';
import type { JudgeRules, Reply } from './judged.ts';
import { objectsIn } from '../candidates/lenient-candidates.ts';

const city = Output.object({ schema: z.object({ city: z.string() }) });
const OSLO = '{"city":"Oslo"}';
const LENIENT = { reader: objectsIn };

/** Returns the value and the repairs, or the code of the error. */
async function judge(
  reply: Partial<Reply>,
  {
    output = city,
    isCall = false,
    ...rules
  }: JudgeRules & { readonly output?: AnyOutputDefinition; readonly isCall?: boolean } = {},
): Promise<unknown> {
  const answer = await judgeReply(reply, output, { mode: isCall ? 'tool' : 'json', ...rules });
  if (!answer.success) return answer.error.code;
  const repairs = answer.provenance.repairs.map(({ kind, path }) => [kind, ...path].join('.'));
  return [answer.output, ...repairs];
}

const submit = (...texts: readonly string[]): Partial<Reply> => ({
  submissions: texts.map((text) => ({ text })),
});

it('is no object without any key of the schema, although its library drops them', async () => {
  const output = Output.object({ schema: z.object({ city: z.string().optional() }) });
  const foreign = '{"reason":"none found"}';
  expect(await judge({ text: foreign }, { output })).toBe('schema-mismatch');
  for (const said of [foreign, `{"output":${foreign}}`, JSON.stringify(foreign)]) {
    expect(await judge(submit(said), { output, isCall: true }), said).toBe('schema-mismatch');
  }
  expect(await judge({ text: `So ${foreign}` }, { ...LENIENT, output })).toBe('invalid-json');
  const mixed = '{"reason":"seen","city":"Oslo"}';
  expect(await judge({ text: mixed }, { output })).toEqual([{ city: 'Oslo' }]);
  expect(await judge({ text: '{}' }, { output })).toEqual([{}]);
  const open = Output.object({ schema: z.looseObject({ city: z.string().optional() }) });
  expect(await judge({ text: foreign }, { output: open })).toEqual([{ reason: 'none found' }]);
});

it('is not the empty arguments of a call, encoded as text', async () => {
  const output = Output.object({ schema: z.object({ city: z.string().optional() }) });
  expect(await judge(submit('"{}"'), { output, isCall: true })).toBe('schema-mismatch');
});

it('is not the empty arguments of a call, even if its schema accepts an empty object', async () => {
  const output = Output.object({ schema: z.object({ city: z.string().optional() }) });
  expect(await judge(submit('{}'), { output, isCall: true })).toBe('schema-mismatch');
  expect(await judge(submit('{"output":{}}'), { output, isCall: true })).toEqual([{}]);
  expect(await judge({ text: '{}' }, { output })).toEqual([{}]);
});

describe('an answer in another place', () => {
  it.each<[string, Partial<Reply>, boolean, readonly string[]]>([
    ['as text instead of a call', { text: OSLO }, true, ['answer-in-text']],
    ['in one fence instead of a call', { text: `\`\`\`json\n${OSLO}\n\`\`\`` }, true, ['answer-in-text']],
    ['as reasoning instead of a call', { reasoning: OSLO }, true, ['answer-in-reasoning']],
    ['as reasoning', { reasoning: OSLO }, false, ['answer-in-reasoning']],
    ['in a call of another tool', { otherCall: { text: OSLO } }, false, ['answer-in-tool-call']],
    ['without its envelope', submit(OSLO), true, ['missing-envelope']],
    ['encoded twice', submit(JSON.stringify(`{"output":${OSLO}}`)), true, ['parsed-string']],
    ['encoded twice in its envelope', submit(JSON.stringify({ output: OSLO })), true, ['parsed-string']],
    ['encoded twice, bare', submit(JSON.stringify(OSLO)), true, ['parsed-string', 'missing-envelope']],
    ['in a fence', submit(`\`\`\`json\n{"output":${OSLO}}\n\`\`\``), true, ['unwrapped-fence']],
    ['before a mark', submit(`{"output":${OSLO}}\n</tool_call>`), true, ['dropped-end-token']],
    ['before an end', submit(`{"output":${OSLO}}<|im_end|>`), true, ['dropped-end-token']],
  ])('is accepted %s, and labelled', async (_, reply, isCall, repairs) => {
    expect(await judge(reply, { isCall })).toEqual([{ city: 'Oslo' }, ...repairs]);
  });

  it('is not looked for in reasoning beside a text', async () => {
    expect(await judge({ text: 'I cannot.', reasoning: OSLO }, { isCall: true })).toBe('not-produced');
    expect(await judge({ text: 'I cannot.', reasoning: OSLO })).toBe('invalid-json');
  });

  it('has nothing beside it in its envelope, unless answers are lenient', async () => {
    const more = submit(`{"output":${OSLO},"note":"x"}`);
    expect(await judge(more, { isCall: true })).toBe('schema-mismatch');
    expect(await judge(more, { ...LENIENT, isCall: true })).toEqual([{ city: 'Oslo' }, 'dropped-keys']);
  });

  it('is never the envelope itself, which a schema for any object would accept', async () => {
    const output = Output.object({ schema: z.looseObject({}) });
    for (const text of ['{"output":[]}', '{"output":[],"note":"x"}']) {
      expect(await judge(submit(text), { isCall: true, output })).toBe('schema-mismatch');
    }
    const list = Output.array({ element: z.number() });
    expect(await judge(submit('[1]'), { isCall: true, output: list })).toEqual([[1], 'missing-envelope']);
  });

  it('is refused with its issues if it does not fit', async () => {
    expect(await judge({ text: '{"city":1}' }, { isCall: true })).toBe('schema-mismatch');
    expect(await judge(submit('{"output":{"city":1}}'), { isCall: true })).toBe('schema-mismatch');
    expect(await judge({ text: 'It is Oslo.' }, { isCall: true })).toBe('not-produced');
  });
});

describe('an answer at the output limit', () => {
  const cut = (text: string): Partial<Reply> => ({ text, ending: 'cut' });

  it('is whole if its JSON is closed, whatever white space follows', async () => {
    for (const text of [OSLO, `${OSLO}${'\n\n  '.repeat(50)}`, `\`\`\`json\n${OSLO}\n\`\`\``]) {
      expect(await judge(cut(text))).toEqual([{ city: 'Oslo' }]);
    }
    const call = { ...submit(`{"output":${OSLO}}  `), ending: 'cut' } as const;
    expect(await judge(call, { isCall: true })).toEqual([{ city: 'Oslo' }]);
    expect(await judge({ text: OSLO, ending: 'cut' }, { isCall: true })).toEqual([
      { city: 'Oslo' },
      'answer-in-text',
    ]);
  });

  it.each(['{"city":"Os', `${OSLO} or`, '', '[1, 2'])('is truncated otherwise: %j', async (text) => {
    expect(await judge(cut(text))).toBe('truncated');
    expect(await judge(cut(text), LENIENT)).toBe('truncated');
  });

  it('is doubtful if it is a bare number or a bare word', async () => {
    const number = Output.object({ schema: z.number() });
    expect(await judge(cut('12'), { output: number })).toBe('truncated');
    expect(await judge({ text: '12' }, { output: number })).toEqual([12]);
    const closed = { ...submit('{"output":12}'), ending: 'cut' } as const;
    expect(await judge(closed, { output: number, isCall: true })).toEqual([12]);
    const choice = Output.choice({ options: ['yes', 'yesterday'] });
    expect(await judge(cut('yes'), { output: choice })).toBe('truncated');
    expect(await judge(cut('"yes"'), { output: choice })).toEqual(['yes']);
  });

  it('is refused for its issues if it is whole and does not fit', async () => {
    expect(await judge(cut('{"city":1}'))).toBe('schema-mismatch');
  });

  it('is no answer if the service withheld it', async () => {
    expect(await judge({ text: OSLO, ending: 'withheld' })).toBe('not-produced');
    expect(await judge({ ...submit(`{"output":${OSLO}}`), ending: 'withheld' }, { isCall: true })).toBe(
      'not-produced',
    );
  });
});

describe('several answers in one reply', () => {
  const other = '{"output":{"city":"Bergen"}}';

  it('are ambiguous if they differ', async () => {
    const both = submit(`{"output":${OSLO}}`, other);
    for (const rules of [{}, LENIENT]) {
      expect(await judge(both, { ...rules, isCall: true })).toBe('ambiguous');
    }
    expect(await judge(submit('{"output":{"city":1}}', other), { isCall: true })).toBe('ambiguous');
    expect(await judge({ text: `${OSLO} or {"city":"Bergen"}` }, LENIENT)).toBe('ambiguous');
    expect(await judge({ text: `${OSLO}, no, {'city': 'Bergen'}` }, LENIENT)).toBe('ambiguous');
    expect(await judge({ text: `Such as ${OSLO}: {"city":"Os"lo"x"}` }, LENIENT)).toBe('ambiguous');
  });

  it('are one answer if they are equal', async () => {
    const both = submit(`{"output":${OSLO}}`, `{ "output": ${OSLO} }`);
    expect(await judge(both, { isCall: true })).toEqual([{ city: 'Oslo' }]);
    expect(await judge({ text: `${OSLO}, so ${OSLO}` }, LENIENT)).toEqual([
      { city: 'Oslo' },
      'found-in-text',
    ]);
  });
});

describe('a lenient answer', () => {
  const children: z.ZodType = z.lazy(() => z.array(z.object({ text: z.string(), children })));
  const tree = Output.object({ schema: z.object({ text: z.string(), children }) });
  const optional = Output.object({
    schema: z.object({ name: z.string().optional(), city: z.string().optional() }),
  });
  const record = Output.object({ schema: z.record(z.string(), z.string()) });

  it.each<[string, AnyOutputDefinition, string]>([
    ['a missing comma', tree, '{"text":"root" "children":[{"text":"child","children":[]}]}'],
    ['quotes in a text', tree, '{"text":"root says "a": "b", ok","children":[{"text":"c","children":[]}]}'],
    ['a cut end', tree, '{"text":"root","children":[{"text":"child","children":[]}, {"text":"second","chil'],
    ['optional fields', optional, '{"name":"Ann" "address":{"city":"Oslo","zip":"0150"}}'],
    ['a list', optional, '[{"name":"Ann"},{"name":"Bob" "city":"x"}]'],
    ['a comment', optional, '{"name": // the name\n "meta": {"k": {"city":"inner"}}}'],
    ['a record', record, '{"en":"Hi","forms":{"short":"Hi"},"de":"Hal'],
    ['a draft before', optional, '{"city":"Bergen"}\nNo, better:\n{"city":"Oslo" "zip":"0150"}'],
  ])('is never a part of a broken one: %s', async (_, output, text) => {
    expect(await judge({ text }, { ...LENIENT, output })).toBe('invalid-json');
    expect(await judge(submit(text), { ...LENIENT, output, isCall: true })).toBe('invalid-json');
  });

  it('is read from arguments too', async () => {
    for (const [text, kind] of [
      ['{"output":{"city":"Oslo",}}', 'trailing-comma'],
      ["{'output': {'city': 'Oslo'}}", 'quotes'],
    ] as const) {
      expect(await judge(submit(text), { ...LENIENT, isCall: true })).toEqual([
        { city: 'Oslo' },
        'found-in-text',
        kind,
      ]);
    }
    expect(await judge(submit('{"output":{"city":"Oslo",}}'), { isCall: true })).toBe('invalid-json');
  });

  it('can hold a list or an object as text, which is parsed where the schema wants it', async () => {
    const output = Output.object({
      schema: z.object({ files: z.array(z.object({ path: z.string() })), note: z.string() }),
    });
    const value = { files: [{ path: 'a' }], note: '[1]' };
    const encoded = JSON.stringify({ ...value, files: JSON.stringify(value.files) });
    const expected = [value, 'parsed-string.files'];
    expect(await judge({ text: encoded }, { ...LENIENT, output })).toEqual(expected);
    expect(await judge(submit(`{"output":${encoded}}`), { ...LENIENT, output, isCall: true })).toEqual(
      expected,
    );
    expect(await judge({ text: encoded }, { output })).toBe('schema-mismatch');
  });

  it('keeps a number or a word in a string', async () => {
    const output = Output.object({ schema: z.object({ n: z.number() }) });
    expect(await judge({ text: '{"n":"2"}' }, { ...LENIENT, output })).toBe('schema-mismatch');
  });
});

describe('a lenient answer in a wrapper', () => {
  it.each<[string, string, readonly string[]]>([
    ['an object', `{"answer":${OSLO}}`, ['opened-wrapper']],
    ['an object with more keys', `{"note":"x","answer":${OSLO},"done":true}`, ['opened-wrapper']],
    ['a text of an object', JSON.stringify({ answer: ` ${OSLO}` }), ['opened-wrapper', 'parsed-string']],
  ])('is taken out of %s', async (_, wrapped, repairs) => {
    expect(await judge({ text: `So: ${wrapped}.` }, LENIENT)).toEqual([
      { city: 'Oslo' },
      'found-in-text',
      ...repairs,
    ]);
  });

  it.each([
    ['whose key comes twice', `{"a":${OSLO},"a":${OSLO}}`],
    ['that was repaired itself', `{'answer':${OSLO}}`],
    ['of a wrapper', `{"a":{"answer":${OSLO}}}`],
    ['of a list', `{"answer":[${OSLO}]}`],
    ['of a text that is cut', '{"answer":"{\\"city\\":"}'],
  ])('is not taken out of one %s', async (_, wrapped) => {
    expect(await judge({ text: `So: ${wrapped}.` }, LENIENT)).toBe('invalid-json');
  });

  it('is ambiguous with another one', async () => {
    const text = `{"answer":${OSLO}} or {"answer":{"city":"Bergen"}}`;
    expect(await judge({ text }, LENIENT)).toBe('ambiguous');
  });

  it('is not looked for among more than 200 objects', async () => {
    const objects = (count: number): string => `So ${'{"a":1} '.repeat(count)}${OSLO}`;
    expect(await judge({ text: objects(199) }, LENIENT)).toEqual([{ city: 'Oslo' }, 'found-in-text']);
    expect(await judge({ text: objects(200) }, LENIENT)).toBe('invalid-json');
  });
});

describe('a lenient answer that its schema converts', () => {
  const counted = z.object({ n: z.string().transform(BigInt) });
  const looped = z.object({ n: z.string() }).transform((value) => {
    const loop: Record<string, unknown> = { ...value };
    loop['self'] = loop;
    return loop;
  });

  it.each<[string, z.ZodType]>([
    ['to an integer of any size', counted],
    ['to an object that contains itself', looped],
  ])('%s is one answer if it was written once or equally', async (_, schema) => {
    const output = Output.object({ schema });
    const rules = { ...LENIENT, output };
    expect(await judge({ text: 'So {"n":"1"}' }, rules)).toMatchObject([{}, 'found-in-text']);
    expect(await judge({ text: 'So {"n":"1"}, or { "n": "1" }' }, rules)).toMatchObject([
      {},
      'found-in-text',
    ]);
    expect(await judge({ text: 'So {"n":"1"}, or {"n":"2"}' }, rules)).toBe('ambiguous');
  });
});

describe('strings in a lenient answer', () => {
  const files = Output.object({ schema: z.object({ files: z.array(z.number()) }) });
  it.each([
    ['that hold no whole JSON', '{"files":"[1, 2"}'],
    ['that hold a number which JavaScript rounds', '{"files":"[9007199254740993]"}'],
    ['that hold no list or object', '{"files":"7"}'],
    ['whose contents do not fit either', '{"files":"[true]"}'],
  ])('%s stay strings', async (_, text) => {
    const result = await judgeReply({ text }, files, { mode: 'json', ...LENIENT });
    expect(result.success || result.error.issues.map(({ path }) => path)).toEqual([['files']]);
  });
});

describe('a reply that runs away', () => {
  it('is an answer if its JSON is closed, else its part is named', async () => {
    expect(await judge({ text: OSLO, ending: 'runaway', repeats: 'the part "ab"' })).toEqual([
      { city: 'Oslo' },
    ]);
    const cut = { text: '{"city":"ababab', ending: 'runaway', repeats: 'the part "ab"' } as const;
    const result = await judgeReply(cut, city, { mode: 'json' });
    expect(result.success || result.error).toMatchObject({
      code: 'runaway',
      message: expect.stringContaining('runs away, with the part "ab"'),
    });
  });
});

describe('what the prompt shows', () => {
  it('is not every empty object', async () => {
    expect(await judge({ text: '{}' }, { output: Output.json() })).toEqual([{}]);
  });

  const person = Output.object({ schema: z.object({ name: z.string() }) });
  const sample = '{"name":"…"}';

  it('is no answer in any mode: the sample, and the schema', async () => {
    const schema = JSON.stringify({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    });
    expect(await judge({ text: sample }, { output: person })).toBe('not-produced');
    const repeated = await judgeReply({ text: sample }, person, { mode: 'json' });
    expect(repeated.success || repeated.error.message).toContain('the example or the schema of the prompt');
    expect(await judge(submit(`{"output":${sample}}`), { output: person, isCall: true })).toBe(
      'not-produced',
    );
    expect(await judge({ text: `Here: ${sample}` }, { ...LENIENT, output: person })).toBe('invalid-json');
    const open = Output.object({ schema: z.looseObject({}) });
    const shown = '{"type":"object","properties":{},"additionalProperties":{}}';
    expect(await judge({ text: shown }, { output: open })).toBe('not-produced');
    expect(await judge({ text: schema }, { output: open })).toEqual([JSON.parse(schema)]);
  });

  it('is no candidate in a longer text, whatever it contains', async () => {
    const open = Output.object({ schema: z.looseObject({ city: z.string().optional() }) });
    const prompt = 'Which city is it? Such as {"city":"Anytown"}, in JSON.';
    const rules = { ...LENIENT, output: open, ownTexts: () => [prompt, 'Which'] };
    expect(await judge({ text: prompt }, rules)).toBe('invalid-json');
    expect(await judge({ text: `${prompt}\nWhich one? {"city":"Oslo"}` }, rules)).toEqual([
      { city: 'Oslo' },
      'found-in-text',
    ]);
    const instructions = Output.instructions(open);
    expect(await judge({ text: `Do it.\n\n${instructions}` }, { ...LENIENT, output: open })).toBe(
      'invalid-json',
    );
  });
});
