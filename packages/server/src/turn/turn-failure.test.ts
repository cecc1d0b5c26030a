import { expect, it } from 'vitest';
import type { ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import { notProduced } from './turn-failure.ts';

const INVALID: ReceiptAttempt = { code: 'invalid' };
const at = (path: string, rule: string): ReceiptAttempt => ({ code: 'invalid', issues: [{ path, rule }] });

it.each<[string, readonly ReceiptAttempt[], string]>([
  ['nothing without attempts', [], ''],
  ['nothing of an accepted one', [{ code: 'ok' }], ''],
  ['one refusal', [INVALID], 'Refused once. '],
  [
    'the number of refusals, without the accepted one',
    [INVALID, { code: 'ok' }, INVALID],
    'Refused 2 times. ',
  ],
  [
    'the place and the rule of the last one that has them',
    [
      at('/a', 'Expected an integer.'),
      at('/b', 'Expected a text.'),
      { code: 'malformed', issues: [] },
      INVALID,
    ],
    'Refused 4 times, the last time at `/b`: Expected a text. ',
  ],
  [
    'no place for the whole answer',
    [at('', 'Expected 1.5 or 2')],
    'Refused once, the last time: Expected 1.5 or 2. ',
  ],
])('the message of a failed request says %s', (_name, attempts, refusals) => {
  expect(notProduced('validation_exhausted', attempts)).toEqual({
    code: 'structured_output_not_produced',
    reason: 'validation_exhausted',
    message: `No answer of the model fits the schema. ${refusals}Send the message again with a simpler schema at these places, or use another model.`,
  });
});
