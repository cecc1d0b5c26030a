import { expect, it } from 'vitest';
import { findJsonObjects } from './find-json-objects.ts';

function rawOf(text: string): readonly string[] {
  return findJsonObjects(text).objects.map(({ start, end }) => text.slice(start, end));
}

it.each([
  ['a missing comma', '{"text":"root" "children":[{"text":"child","children":[]}]}'],
  ['quotes inside a text', '{"text":"root says "a": "b", ok","children":[{"text":"child","children":[]}]}'],
  ['a brace inside a text', '{"text":"a } b" "children":[{"text":"child"}]}'],
  ['an odd quote and a brace inside a text', '{"text":"he says "a } b, ok","children":[{"text":"child"}]}'],
  ['a comment instead of a value', '{"title": // none\n "meta": {"k": {"title":"inner"}}}'],
  ['a bare key', '{name: "Ann" address: {"city":"Oslo"}}'],
])('takes nothing from inside an object with %s', (_, text) => {
  expect(findJsonObjects(text)).toMatchObject({ objects: [], unreadableAt: 0 });
});

it('reports an unreadable object after a readable one', () => {
  const text = '{"city":"Bergen"}\nNo, better:\n{"city":"Oslo" "zip":"0150"}';
  expect(rawOf(text)).toEqual(['{"city":"Bergen"}']);
  expect(findJsonObjects(text).unreadableAt).toBe(text.lastIndexOf('{'));
});

it('reads on after an unreadable object', () => {
  expect(rawOf('{"city":"Bergen" "zip":1} no: {"city":"Oslo"}')).toEqual(['{"city":"Oslo"}']);
  expect(rawOf('{"city":"Ber}\n{"city":"Oslo"}')).toEqual(['{"city":"Oslo"}']);
});

it.each(['Use { to open. ', 'Sets {a, b} and {c} ', 'It is 5" { here: ', 'if (x) { y(); } '])(
  'passes braces that begin no object: %s',
  (prose) => {
    expect(findJsonObjects(`${prose}{"city":"Oslo"} so`)).toMatchObject({
      objects: [{ value: { city: 'Oslo' } }],
      unreadableAt: -1,
    });
  },
);

it('counts an unreadable object in reasoning as reasoning', () => {
  expect(findJsonObjects('<think>{"a" 1}</think>{"a":1}')).toMatchObject({
    objects: [{ value: { a: 1 } }],
    unreadableAt: -1,
  });
});

it('takes a text whose rest was not read as unreadable', () => {
  const text = `{"a":1}${'{"a":"x\' } "b" [{ '.repeat(4_000)}`;
  expect(findJsonObjects(text).unreadableAt).toBeGreaterThan(0);
});

it.each([
  ['<think>{"a":1}', [], ''],
  ['<think>{"a":1}</think>{"b":2}', ['{"b":2}'], '{"b":2}'],
  ['so <think>{"a":1}</think> then {"b":2}', ['{"b":2}'], 'so  then {"b":2}'],
  ['{"a":1}</think> then {"b":2}', ['{"b":2}'], 'then {"b":2}'],
  ['one <think>a</think> two <thought>b</thought> three', [], 'one  two  three'],
  ['one <think>a</thought> two', [], 'one'],
])('leaves the reasoning of %j out', (text, objects, speech) => {
  expect(rawOf(text)).toEqual(objects);
  expect(findJsonObjects(text).speech).toBe(speech);
});

it('reads no text more than 24 times, and takes what it did not read as unreadable', () => {
  const text = `${'{"a" '.repeat(6_000)}{"b":2}`;
  const { work, objects, unreadableAt } = findJsonObjects(text);
  expect(work).toBeLessThan(27 * text.length + 10_000);
  expect(objects).toEqual([]);
  expect(unreadableAt).toBeGreaterThanOrEqual(0);
});
