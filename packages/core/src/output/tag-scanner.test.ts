import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import { z } from 'zod';
import { UsageError } from '../errors/usage-error.ts';
import type { AnyOutputDefinition } from './definition/definition.ts';
import { Output } from './output.ts';
import { createTagScanner, type TagScanner } from './tag-scanner.ts';

const json = Output.json({ tag: 'r' });
const text = Output.string({ tag: 'r' });

const scan = (chunks: readonly string[], definition: AnyOutputDefinition = json): TagScanner<unknown> => {
  const scanner = createTagScanner(definition);
  for (const chunk of chunks) scanner.push(chunk);
  return scanner;
};

/** `open` and `close` around each other, `depth` times. */
const nested = (open: string, close: string, depth: number, inner = ''): string =>
  `<r>${open.repeat(depth)}${inner}${close.repeat(depth)}</r>`;

const codeOf = async (said: string, definition: AnyOutputDefinition = json): Promise<string> => {
  const result = await scan([said], definition).finish();
  return result.success ? 'ok' : result.error.code;
};

/** Previews after each character, from the first non-empty one. */
const framesOf = (said: string, definition: AnyOutputDefinition = json): unknown[] => {
  const scanner = createTagScanner(definition);
  const frames: unknown[] = [];
  for (const char of said) {
    scanner.push(char);
    const frame = scanner.snapshot().value;
    if (JSON.stringify(frame) !== JSON.stringify(frames.at(-1))) frames.push(frame);
  }
  return frames;
};

/** Large enough that quadratic work would exceed the test's timeout. */
const n = matrixRuns(100_000, 400_000);

describe('a tag scanner', () => {
  it('finds a tag that was cut anywhere, with a multi-unit character beside it', async () => {
    const result = await scan(['é<', 'r', '>"\uD83D', '\uDE00"<', '/', 'r>']).finish();
    expect(result).toMatchObject({ success: true, output: '😀', provenance: { span: { start: 4, end: 8 } } });
  });

  it('returns the same result at every finish, and accepts no input after it', async () => {
    const scanner = scan(['<r>1</r>']);
    const first = scanner.finish();
    scanner.push('<r>2</r>');
    expect(scanner.finish()).toBe(first);
    expect(await first).toMatchObject({ success: true, output: 1 });
    expect(scanner.partial().value).toBe(1);
  });

  it('refuses a definition without a tag', () => {
    expect(() => createTagScanner(Output.json({}))).toThrow(UsageError);
  });

  it('checks held closing tags in order when their holder is discarded', async () => {
    // The line feed invalidates the first candidate: its closing seals, and the candidate opened
    // after it continues.
    const result = await scan(['<r>{"a":"</r> <r>\n{"b":1}</r>']).finish();
    expect(result).toMatchObject({ success: true, output: { b: 1 } });
    // Without an opening in between, the second closing is only a mention.
    const failed = await scan(['<r>{"a":"x</r> y</r>\n']).finish();
    expect(failed.success || failed.error.rawMatched).toBe('{"a":"x');
    // A closing whose own characters end the string's escape does not hold.
    const escaped = await scan(['<r>{"a":"\\</r> and </r>']).finish();
    expect(escaped.success || escaped.error.rawMatched).toBe('{"a":"\\');
  });

  it.each([
    ['openings', () => '<r>'.repeat(n), json, 'tag-not-found'],
    ['closings', () => '</r>'.repeat(n), json, 'tag-not-found'],
    ['pairs', () => '<r></r>'.repeat(n), json, 'invalid-json'],
    ['strings begun', () => '<r>"'.repeat(n), json, 'truncated'],
    ['strings whole', () => '<r>""'.repeat(n), json, 'truncated'],
    ['closings in a string', () => `<r>{"a":"${'</r>'.repeat(n)}`, json, 'invalid-json'],
    ['pairs in an unfinished string', () => `<r>{"a":"${'<r></r>'.repeat(n)}`, json, 'invalid-json'],
    ['pairs in a string', () => `<r>{"a":"${'<r></r>'.repeat(n)}"}</r>`, json, 'ok'],
    ['openings and quotes in a string', () => `<r>{"a":"${'<r> "'.repeat(n)}</r>`, json, 'ok'],
    ['backticks', () => `<r>${'`'.repeat(1_000_000)}</r>`, json, 'invalid-json'],
    ['fences begun', () => '<r>```'.repeat(n), json, 'tag-not-found'],
    ['line feeds after a fence', () => `<r>\`\`\`json${'\n'.repeat(1_000_000)}</r>`, json, 'invalid-json'],
    ['brackets opened', () => `<r>${'['.repeat(1_000_000)}</r>`, json, 'invalid-json'],
    ['nested brackets', () => nested('[', ']', 100_000), json, 'ok'],
    ['more nested brackets than are parsed', () => nested('[', ']', 500_000), json, 'invalid-json'],
    ['nested constructors', () => nested('{"constructor":', '}', 15_000, '1'), json, 'ok'],
    [
      'more nested constructors than are parsed',
      () => nested('{"constructor":', '}', 60_000, '1'),
      json,
      'invalid-json',
    ],
    ['angle brackets', () => '<'.repeat(1_000_000), json, 'tag-not-found'],
    ['digits', () => `<r>${'1'.repeat(1_000_000)}</r>`, json, 'invalid-json'],
    ['digits after a point', () => `<r>0.${'1'.repeat(1_000_000)}</r>`, json, 'ok'],
    ['openings for text', () => '<r>'.repeat(n), text, 'tag-not-found'],
    ['answers of text', () => '<r>a</r>'.repeat(n), text, 'ok'],
    ['white space before text', () => `<r>${' '.repeat(1_000_000)}x</r>`, text, 'ok'],
  ] as const)('scans hostile text in linear work: %s', async (_, makeText, definition, code) => {
    expect(await codeOf(makeText(), definition)).toBe(code);
  });

  it('finds them in linear work piece by piece too, previews and all', async () => {
    const hostile = [
      '<r>"'.repeat(25_000),
      `<r>{"a":"${'<r></r>'.repeat(15_000)}"}</r>`,
      `<r>${'['.repeat(100_000)}`,
      `<r>${' '.repeat(100_000)}`,
      '<r>1</r>'.repeat(12_000),
    ];
    for (const definition of [json, text]) {
      for (const said of hostile) {
        const scanner = createTagScanner(definition);
        for (let at = 0; at < said.length; at += 3) {
          scanner.push(said.slice(at, at + 3));
          scanner.partial();
        }
        await scanner.finish();
      }
    }
    expect(hostile).toHaveLength(5);
  });
});

describe('a preview', () => {
  it('grows as the value is read: keys with their values, strings by pieces, scalars whole', () => {
    expect(framesOf('<r>{"a":"xy","b":[12,true],"c":null}</r>')).toEqual([
      {},
      { a: '' },
      { a: 'x' },
      { a: 'xy' },
      { a: 'xy', b: [] },
      { a: 'xy', b: [12] },
      { a: 'xy', b: [12, true] },
      { a: 'xy', b: [12, true], c: null },
    ]);
  });

  it('shows a number at the top only when its closing tag has ended it', () => {
    expect(framesOf('<r>42</r>')).toEqual([42]);
  });

  it('is always the same object, and its snapshot is a copy', () => {
    const scanner = scan(['<r>{"a":[1,']);
    const live = scanner.partial().value;
    const copy = scanner.snapshot().value;
    scanner.push('2]}</r>');
    expect(scanner.partial().value).toBe(live);
    expect(live).toEqual({ a: [1, 2] });
    expect(copy).toEqual({ a: [1] });
  });

  it('restarts with each draft, and returns to the last match if no match follows', () => {
    const scanner = scan(['I use <r> tags. <r>{"a":1}']);
    expect(scanner.partial()).toEqual({ value: { a: 1 }, draft: 1 });
    scanner.push('</r> No: <r>{"a":');
    expect(scanner.partial()).toEqual({ value: {}, draft: 2 });
    scanner.push('2}</r> See <r>');
    expect(scanner.partial()).toEqual({ value: { a: 2 }, draft: 2 });
    scanner.push(' and <r>{oops');
    expect(scanner.partial()).toEqual({ value: { a: 2 }, draft: 2 });
  });

  it('shows a match that was complete before the first call', () => {
    expect(scan(['<r>{"a":1}</r>']).partial()).toEqual({ value: { a: 1 }, draft: 1 });
    expect(scan(['<r>{"a":1}</r><r>x</r>']).partial()).toEqual({ value: undefined, draft: 0 });
  });

  it('makes a key of `__proto__`, never a prototype', () => {
    const scanner = scan(['<r>{"__proto__":{"admin":true},"a":1']);
    for (const { value } of [scanner.partial(), scanner.snapshot()]) {
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.hasOwn(Object(value) as object, '__proto__')).toBe(true);
      expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true}}');
    }
  });

  it('is copied at any depth', () => {
    const scanner = scan([`<r>${'['.repeat(300_000)}`]);
    expect(Array.isArray(scanner.snapshot().value)).toBe(true);
  });

  it('of text grows without the white space at its ends', () => {
    expect(framesOf('<r> a  b\n</r>', text)).toEqual(['', 'a', 'a  b']);
    const scanner = scan(['<r> a'], text);
    expect(scanner.partial()).toEqual({ value: 'a', draft: 1 });
    scanner.push(' b </r>');
    expect(scanner.partial()).toEqual({ value: 'a b', draft: 1 });
    expect(scan(['<r> late </r>'], text).partial()).toEqual({ value: 'late', draft: 1 });
  });

  it('of a choice appears once it is one of the options', () => {
    const choice = Output.choice({ tag: 'r', options: ['merge', 'reject'] });
    expect(framesOf('<r> merge </r>', choice)).toEqual(['merge']);
    expect(framesOf('<r>"reject"</r>', choice)).toEqual(['reject']);
    expect(framesOf('<r>merg</r>', choice)).toEqual([]);
  });

  it('of an array contains its elements before their transforms', () => {
    const list = Output.array({ tag: 'r', element: z.object({ id: z.number() }) });
    expect(framesOf('<r>[{"id":1},{"id":2', list).at(-1)).toEqual([{ id: 1 }, {}]);
  });

  it('stops growing if the answer is larger than allowed', async () => {
    const scanner = createTagScanner(Output.json({ tag: 'r', maxPayloadBytes: 10 }));
    scanner.push('<r>"123');
    expect(scanner.partial().value).toBe('123');
    scanner.push('45678901234567890');
    const { value } = scanner.snapshot();
    scanner.push('1234567890');
    expect(scanner.partial().value).toBe(value);
    scanner.push('"</r>');
    expect(await scanner.finish()).toMatchObject({ success: false, error: { code: 'too-large' } });
  });
});
