/** Receipts: which are final, and the value or the error of each. */
import { Output } from '@truecast/core/internal/output/output';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { isFinal, openReceipt, type Opening } from './open-receipt.ts';
import type { Receipt } from '../wire/receipt.ts';

const base: Receipt = { request_id: 'r', status: 'succeeded', schema_hash: 'x', attempts: [] };
const output = Output.object({ schema: z.object({ n: z.number() }) });
const opening: Opening<typeof output> = {
  chatId: 'chat',
  output,
  inverse: (value) => (value as { readonly value: unknown }).value,
  acceptsRounding: false,
};
const receiptOf = (text: string): Receipt => ({
  ...base,
  value: JSON.parse(text) as never,
  value_text: text,
});

it.each([
  ['succeeded', undefined, true],
  ['failed', undefined, true],
  ['canceled', undefined, true],
  ['queued', undefined, false],
  ['running', '2026-01-01T00:00:00Z', false],
  ['queued', '2026-01-01T00:00:00Z', false],
  ['expired', '2026-01-01T00:00:00Z', true],
  ['paused', undefined, false],
])('%s with the end %s is final: %s', (status, ended_at, expected) => {
  const receipt = { ...base, status, ...(ended_at !== undefined && { ended_at }) } as Receipt;
  expect(isFinal(receipt)).toBe(expected);
});

it('returns the value in the form of the schema', async () => {
  await expect(openReceipt(receiptOf('{"value":{"n":7}}'), opening)).resolves.toEqual({ n: 7 });
});

it('refuses a number that JavaScript rounds, unless the caller accepts it', async () => {
  const receipt = receiptOf('{"value":{"n":9007199254740993}}');
  await expect(openReceipt(receipt, opening)).rejects.toMatchObject({
    code: 'schema-mismatch',
    rawMatched: receipt.value_text,
    issues: [{ path: ['value', 'n'] }],
    message: expect.stringContaining('cannot represent it exactly at value.n: ') as string,
  });
  await expect(openReceipt(receipt, { ...opening, acceptsRounding: true })).resolves.toEqual({
    n: 9007199254740992,
  });
  const beyond = receiptOf('{"value":{"n":1e999}}');
  await expect(openReceipt(beyond, { ...opening, acceptsRounding: true })).rejects.toMatchObject({
    code: 'schema-mismatch',
  });
});

it('refuses a value that the schema of the caller does not accept', async () => {
  await expect(openReceipt(receiptOf('{"value":{"n":"x"}}'), opening)).rejects.toMatchObject({
    code: 'schema-mismatch',
    rawMatched: '{"value":{"n":"x"}}',
    issues: [{ path: ['n'] }],
  });
  const schema = z.object({ n: z.number() }).refine(() => {
    throw new Error('no disk');
  });
  await expect(
    openReceipt(receiptOf('{"value":{"n":1}}'), { ...opening, output: Output.object({ schema }) }),
  ).rejects.toMatchObject({ code: 'validator-error' });
});

it('has the code, the reason and the receipt of a request without an answer', async () => {
  const error = {
    code: 'structured_output_not_produced',
    reason: 'text_only',
    message: 'No answer.',
  } as const;
  const failed: Receipt = { ...base, status: 'failed', error };
  await expect(openReceipt(failed, opening)).rejects.toMatchObject({
    code: 'structured-output-not-produced',
    reason: 'text_only',
    message: 'No answer.',
    chatId: 'chat',
    requestId: 'r',
    receipt: failed,
  });
  await expect(openReceipt({ ...base, status: 'canceled' }, opening)).rejects.toMatchObject({
    code: 'generation-failed',
    message: 'The request ended without an answer. Read its receipt.',
  });
});
