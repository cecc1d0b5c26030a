import { describe, expect, it } from 'vitest';
import { RunawayDetector, type RunawayKind } from './runaway-detector.ts';
import { RIGHT_ANSWERS } from './test-right-answers.ts';

interface Read {
  readonly found: RunawayKind | undefined;
  /** Characters until it was found. */
  readonly after: number;
}

/** Reads a text in pieces of some length. */
function read(
  text: string,
  options: { isJson?: boolean; known?: readonly string[]; piece?: number } = {},
): Read {
  const { isJson = true, known = [], piece = 7 } = options;
  const detector = new RunawayDetector({ isJson, known: new Set(known) });
  for (let from = 0; from < text.length; from += piece) {
    const found = detector.push(text.slice(from, from + piece));
    if (found !== undefined) return { found, after: from + piece };
  }
  return { found: undefined, after: text.length };
}

const SENTENCE = 'The committee will meet again on the following Monday to discuss it. ';

describe('RunawayDetector', () => {
  it('holds a corpus of at least 200 long right answers', () => {
    expect(RIGHT_ANSWERS.length).toBeGreaterThanOrEqual(200);
    expect(new Set(RIGHT_ANSWERS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(200);
  });

  it('ends none of the right answers, in small and in large pieces', () => {
    const ended = RIGHT_ANSWERS.flatMap(({ name, text, ...rest }) =>
      [5, 4_096].map((piece) => ({ name, ...read(text, { ...rest, piece }) })),
    ).filter(({ found }) => found !== undefined);
    expect(ended).toEqual([]);
  });

  it.each([
    ['white space before a key', `{"a": 1,\n${' \n\t'.repeat(200)}`, 'spaces', 700],
    ['white space after the answer', `{"a": 1}${'\n'.repeat(400)}`, 'spaces', 300],
    ['digits of an integer', `{"a": ${'1'.repeat(300)}`, 'digits', 80],
    ['digits of a fraction', `{"a": 0.${'37'.repeat(200)}`, 'digits', 80],
    ['a sentence in a string', `{"a": "${SENTENCE.repeat(100)}`, 'block', 2_400],
    ['one sign in a string', `{"a": "${'!'.repeat(9_000)}`, 'block', 2_400],
    ['line breaks in a string', `{"a": "${String.raw`the end\n`.repeat(900)}`, 'block', 2_400],
    ['a word in a list', `{"a": [${'"note", '.repeat(900)}`, 'item', 2_400],
    ['a letter in a list', `{"a": [${'"b",'.repeat(2_000)}`, 'item', 2_400],
    ['objects in a list', `[${'{"name": "Ines", "role": null}, '.repeat(300)}`, 'item', 2_400],
    ['two objects in turn', `[${'{"name": "Ines"}, {"name": "Jonas"}, '.repeat(300)}`, 'item', 2_400],
    ['long objects in a list', `[${`{"note": "${SENTENCE.repeat(6)}"}, `.repeat(200)}`, 'item', 25_000],
    ['one key again and again', `{${'"votes": 6, '.repeat(900)}`, 'block', 2_400],
    ['levels of objects', '{"replies": [{"text": "yes", "replies": [],'.repeat(300), 'block', 2_400],
    ['levels of lists, far past any answer', '['.repeat(150_000), 'block', 124_100],
    ['zeros in a list, far past any answer', `[${'0, '.repeat(60_000)}`, 'item', 124_100],
    ['a short word, far past any answer', `["${'no '.repeat(60_000)}`, 'block', 124_100],
  ] as const)('ends %s', (_, text, kind, most) => {
    const { found, after } = read(text);
    expect(found).toBe(kind);
    expect(after).toBeLessThanOrEqual(most);
  });

  it.each([
    ['a sentence', SENTENCE.repeat(100)],
    ['a long paragraph', times(20).join('').repeat(30)],
    ['one sign', '!'.repeat(9_000)],
    ['blanks', `The end.${' '.repeat(9_000)}`],
    ['a phrase after JSON', `{"a": 1} ${'and so on '.repeat(2_000)}`],
    ['a short word', 'no '.repeat(60_000)],
  ])('ends %s of a text', (_, text) => {
    expect(read(text, { isJson: false }).found).toBe('block');
    expect(read(text, { isJson: true }).found).toBe('block');
  });

  it('takes digits and white space of a text as they come', () => {
    const text = `Pi is 3.${'14159265358979323846'.repeat(20)}${' '.repeat(600)}.`;
    expect(read(text, { isJson: false }).found).toBeUndefined();
  });

  it('takes encoded bytes of any length, and a short word 30,000 times', () => {
    expect(read(`{"a": "${'A'.repeat(300_000)}"}`, { piece: 4_096 }).found).toBeUndefined();
    expect(read(`{"a": "${'huge '.repeat(20_000)}"}`, { piece: 16 }).found).toBeUndefined();
    expect(read(`{"a": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`).found).toBeUndefined();
  });

  it('needs more than the bounds', () => {
    expect(read(`{"a": 1,${' '.repeat(256)}"b": 1}`).found).toBeUndefined();
    expect(read(`{"a": 1,${' '.repeat(257)}"b": 1}`).found).toBe('spaces');
    expect(read(`{"a": ${'1'.repeat(64)}}`).found).toBeUndefined();
    expect(read(`{"a": ${'1'.repeat(65)}}`).found).toBe('digits');
  });

  it('takes a member of an enum as often as it comes, and ends the same word without a schema', () => {
    const text = `["spam"${', "spam"'.repeat(900)}]`;
    expect(read(text, { known: ['spam', 'ham'] }).found).toBeUndefined();
    expect(read(text).found).toBe('item');
  });

  it('finds the same at the same character, whatever the pieces are', () => {
    const text = `{"a": "${SENTENCE.repeat(100)}`;
    const found = [1, 3, 64, 256, 5_000].map((piece) => Math.ceil(read(text, { piece }).after / 5_000));
    expect(new Set(found).size).toBe(1);
  });

  it('takes 1,024 digits where the caller gets them all', () => {
    const kept = (text: string): RunawayKind | undefined =>
      new RunawayDetector({ isJson: true, keepsDigits: true }).push(text);
    expect(kept(`{"a": ${'9'.repeat(1_024)}}`)).toBeUndefined();
    expect(kept(`{"a": ${'9'.repeat(1_025)}}`)).toBe('digits');
  });

  it('reads a text as JSON if it begins as an object', () => {
    expect(read(`\n{ "a": ${'1'.repeat(300)}`, { isJson: false }).found).toBe('digits');
    expect(read(`{ a: ${'1'.repeat(300)}`, { isJson: false }).found).toBeUndefined();
    expect(read(`[1] ${'1'.repeat(300)}`, { isJson: false }).found).toBeUndefined();
  });

  it('watches what is written token by token, and no more than a window holds', () => {
    const whole = new RunawayDetector({ isJson: true });
    expect(whole.push(`{"a": "${SENTENCE.repeat(300)}`)).toBeUndefined();
    expect(whole.push(SENTENCE.repeat(100))).toBeUndefined();
    const long = new RunawayDetector({ isJson: true });
    for (let part = 0; part < 110_000; part += 1) long.push(`"${part}": 0,\n`);
    expect(long.push(SENTENCE.repeat(100))).toBeUndefined();
  });

  it('stays found', () => {
    const detector = new RunawayDetector({ isJson: true });
    expect(detector.push(`{${' '.repeat(300)}`)).toBe('spaces');
    expect(detector.push('"a": 1}')).toBe('spaces');
  });
});

function times(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Sentence ${index} of the paragraph. `);
}
