import { describe, expect, it } from 'vitest';
import { toZod } from '../contract/to-zod.ts';
import { receipt } from '@truecast/client/internal/wire/receipt';
import {
  accepted,
  asks,
  call,
  calls,
  corrects,
  numbered,
  rejected,
  result,
  results,
  row,
  says,
  stepFacts,
  submits,
  type UnnumberedRow,
  user,
  viewOf,
} from '../test-rows.ts';
import type { StepFacts } from '../contract/rows.ts';
import { acceptedText, endingError, endRequest, type EndedRequest } from './end-request.ts';
import { notProduced } from './turn-failure.ts';

const FACTS = { requestId: 'r1', schemaHash: 'aa', valueHash: 'bb', durationMs: 5 };
const CALL_USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const read = [calls(call('read')), results(result('read'))] as const;

function isClosedBy({ outcome }: EndedRequest, rows: ReturnType<typeof numbered>): boolean {
  const ended = { ...row('assistant', [outcome], { visibility: 'user' }), id: 100 };
  return viewOf([...rows, ended]).activeRequest.type === 'closed';
}

describe('a receipt', () => {
  it('of a success contains the value, the mode, and the cost of the whole turn', () => {
    const rows = numbered(asks(), says('7'), corrects(), ...read, submits, accepted);
    const ended = endRequest(viewOf(rows), { type: 'accepted' }, FACTS);
    expect(acceptedText(viewOf(rows))).toBe('{"n":1}');
    expect(toZod(receipt).parse(ended.receipt)).toEqual({
      request_id: 'r1',
      status: 'succeeded',
      value: { n: 1 },
      value_text: '{"n":1}',
      value_hash: 'bb',
      numbers_exact: true,
      schema_hash: 'aa',
      attempts: [
        { code: 'text_only', message_id: 2, usage: CALL_USAGE },
        { code: 'ok', message_id: 6, usage: CALL_USAGE },
      ],
      model: 'scripted',
      usage: {
        input_tokens: 30,
        output_tokens: 15,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
      duration_ms: 5,
    });
    expect(isClosedBy(ended, rows)).toBe(true);
  });

  it('tells the mode of the last step that has one, the model and the dialect of the last, and the usage of tools', () => {
    const usage = { ...CALL_USAGE, input_tokens: 100 };
    const copied = { ...results(result('agent', 'old', { usage })), isCompressed: true };
    const step = (facts: Partial<StepFacts>): UnnumberedRow => ({
      ...says('7'),
      step: stepFacts('stop', facts),
    });
    const rows = numbered(
      asks(),
      copied,
      step({ mode: 'native', model: 'first', dialect: 'openai' }),
      results(result('agent', 'done', { usage }), result('read')),
      step({ mode: 'tool', model: 'second', dialect: 'gemini' }),
      step({ model: 'third' }),
    );
    const { receipt: made } = endRequest(
      viewOf(rows),
      { type: 'failed', error: notProduced('text_only') },
      FACTS,
    );
    expect(made).toMatchObject({
      mode: 'tool',
      model: 'third',
      usage: { input_tokens: 130, output_tokens: 20 },
    });
    expect(made).not.toHaveProperty('dialect');
    const earlier = endRequest(
      viewOf(rows.slice(0, 5)),
      { type: 'failed', error: notProduced('text_only') },
      FACTS,
    );
    expect(earlier.receipt).toMatchObject({ model: 'second', dialect: 'gemini' });
  });

  it('of a failure contains the reason and no value', () => {
    const rows = numbered(asks(), submits, rejected());
    const ended = endRequest(
      viewOf(rows),
      { type: 'failed', error: notProduced('validation_exhausted') },
      FACTS,
    );
    expect(ended.receipt).toMatchObject({
      status: 'failed',
      error: { reason: 'validation_exhausted' },
      attempts: [{ code: 'invalid' }],
    });
    expect(ended.receipt).not.toHaveProperty('value');
    expect(isClosedBy(ended, rows)).toBe(true);
  });

  it('of a request that cannot be used has no attempts', () => {
    const rows = numbered(asks({ schema_text: '{' }));
    const ended = endRequest(viewOf(rows), { type: 'canceled', error: endingError('interrupted') }, FACTS);
    expect(ended).toMatchObject({
      receipt: { status: 'canceled', attempts: [] },
      outcome: { status: 'canceled' },
    });
    expect(isClosedBy(ended, rows)).toBe(true);
  });

  it('of a queued message contains nothing of the running turn', () => {
    const rows = numbered(user('a'), asks(), submits, rejected());
    const ended = endRequest(
      viewOf(rows),
      { type: 'canceled', error: endingError('queue_deleted') },
      { ...FACTS, requestId: 'r9' },
    );
    expect(ended.receipt).toMatchObject({ request_id: 'r9', attempts: [] });
    expect(ended.receipt).not.toHaveProperty('usage');
    expect(isClosedBy(ended, rows)).toBe(false);
  });

  it('never reports success without an accepted answer', () => {
    const rows = numbered(asks(), submits, rejected());
    expect(endRequest(viewOf(rows), { type: 'accepted' }, FACTS).receipt).toMatchObject({
      status: 'failed',
      error: { code: 'generation_failed' },
    });
    expect(acceptedText(viewOf(rows))).toBeUndefined();
  });
});

it('a request that was ended from outside says how, and what to do', () => {
  expect(endingError('interrupted')).toEqual({
    code: 'interrupted',
    message: 'The turn was interrupted. Send the message again.',
  });
});
