/** Second calls of a request: what of a refused answer goes back to the model. */
import type { RowPart } from '../contract/rows.ts';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { expect, it } from 'vitest';
import type { ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import { turnView } from '../format/turn-view.ts';
import { asks, call, calls, numbered, result, row, says, type UnnumberedRow } from '../test-rows.ts';
import { askedAnew, nextSeed } from './asked-anew.ts';
import { providerMessages } from './provider-messages.ts';

const issues = [{ path: '/n', rule: 'Expected an integer' }];

function submits(attempt: ReceiptAttempt, ...others: readonly RowPart[]): readonly UnnumberedRow[] {
  const refused = result(FINALIZER_NAME, 'Wrong.', { is_error: true, attempt });
  return [calls(call(FINALIZER_NAME), ...others), row('tool', [refused])];
}

function writes(attempt: ReceiptAttempt): readonly UnnumberedRow[] {
  const told = { type: 'corrective', request_id: 'r1', text: 'Call it.', attempt } as const;
  return [says('So it is.'), row('user', [told], { visibility: 'model' })];
}

const WRONG = submits({ code: 'invalid', issues });
const BROKEN = submits({ code: 'malformed' });
const CUT = submits({ code: 'truncated' });
const TEXT = writes({ code: 'text_only' });
const WORK = [calls(call('look_up')), row('tool', [result('look_up')])];

it.each<[string, readonly UnnumberedRow[], readonly string[], number]>([
  ['a wrong value once, with its issues', WRONG, ['user', 'assistant', 'tool'], 0],
  ['no second wrong value', [...WRONG, ...WRONG], ['user'], 1],
  [
    'a third one, because the second is gone',
    [...WRONG, ...WRONG, ...WRONG],
    ['user', 'assistant', 'tool'],
    1,
  ],
  ['no call without JSON', BROKEN, ['user'], 1],
  [
    'a value that no store keeps, with its place',
    submits({ code: 'malformed', issues }),
    ['user', 'assistant', 'tool'],
    0,
  ],
  ['no call that was cut, nor the value before it', [...WRONG, ...CUT], ['user'], 1],
  ['of a text, how to answer', TEXT, ['user', 'user'], 1],
  ['a text with a wrong value', writes({ code: 'text_only', issues }), ['user', 'assistant', 'user'], 0],
  ['the work of the turn', [...WORK, ...BROKEN], ['user', 'assistant', 'tool'], 1],
  [
    'a call beside other work',
    submits({ code: 'not_alone' }, call('look_up')),
    ['user', 'assistant', 'tool', 'tool'],
    0,
  ],
])('gives back %s', (_, rows, roles, renewals) => {
  const view = turnView(numbered(asks(), ...rows), { planMode: false });
  expect(providerMessages(view).map(({ role }) => role)).toEqual(roles);
  expect(askedAnew(view).renewals).toBe(renewals);

  // The chat keeps each attempt.
  expect(view.rows).toHaveLength(1 + rows.length);
});

it('says nothing of a call before an answer that is text', () => {
  const view = turnView(numbered(asks(), ...TEXT), { planMode: false });
  expect(providerMessages(view, true).map(({ role }) => role)).toEqual(['user']);
});

it.each<[string, readonly UnnumberedRow[], boolean, boolean]>([
  ['no value that is to be corrected', WRONG, false, false],
  ['values that were corrected in vain', [...WRONG, ...WRONG], true, true],
  ['no call that was cut, nor the value before it', [...WRONG, ...CUT], false, false],
  ['a call without JSON', BROKEN, true, true],
  ['a text instead of a call, if the next answer is text: else it was told how to call', TEXT, false, true],
])('tells the schema in words after %s', (_, rows, ofCalls, ofTexts) => {
  const view = turnView(numbered(asks(), ...rows), { planMode: false });
  expect([askedAnew(view).isTold, askedAnew(view, true).isTold]).toEqual([ofCalls, ofTexts]);
});

it('a seed that was set grows with each new question, and none is made up', () => {
  expect(nextSeed(7, { renewals: 0 })).toEqual({ seed: 7 });
  expect(nextSeed(7, { renewals: 2 })).toEqual({ seed: 9 });
  expect(nextSeed(undefined, { renewals: 2 })).toEqual({});
});
