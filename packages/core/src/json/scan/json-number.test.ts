/** Compares the grammar of numbers with that of `JSON.parse`. */
import { expect, it } from 'vitest';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { firstNumberState, mayNumberEnd, nextNumberState, type NumberState } from './json-number.ts';

/** Returns true if the states accept the whole text. */
function isNumber(text: string): boolean {
  let state: NumberState | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    state = at === 0 ? firstNumberState(code) : state && nextNumberState(state, code);
  }
  return state !== undefined && mayNumberEnd(state);
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'number';
  } catch {
    return false;
  }
}

/** Characters of the longest text: 8 to this power are tried. */
const LONGEST = matrixRuns(5, 6);

it(`accepts exactly the numbers of JSON, of up to ${LONGEST} of these characters`, () => {
  let texts = [''];
  let accepted = 0;
  for (let length = 1; length <= LONGEST; length += 1) {
    texts = texts.flatMap((text) => '019.eE+-'.split('').map((char) => text + char));
    for (const text of texts) {
      const is = isNumber(text);
      accepted += Number(is);
      if (is !== isJson(text)) expect([text, is]).toEqual([text, isJson(text)]);
    }
  }
  expect(accepted).toBeGreaterThan(1_000);
});

it.each(['/', ':', ' ', 'a', '١'])('ends before %j', (char) => {
  expect(nextNumberState('digits', char.charCodeAt(0))).toBeUndefined();
  expect(firstNumberState(char.charCodeAt(0))).toBeUndefined();
});
