/** Facts of a receipt, as a list of names and values. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Receipt } from '@truecast/client';
import { FactsList, type Fact } from '../parts/facts-list.tsx';
import { countText, duration, exactTime, money } from '../parts/format.ts';
import { describeMode } from '../value/describe-attempt.ts';

export function ReceiptFacts({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { usage } = receipt;
  const facts: readonly Fact[] = [
    ['Request', receipt.request_id],
    ['Model', receipt.model],
    ['Requested by', receipt.mode && describeMode(receipt.mode)],
    ['Attempts', countText(receipt.attempts.length)],
    ...receipt.attempts.map((attempt, index) => [`Attempt ${index + 1}`, describeCall(attempt)] as const),
    ['Input tokens', usage && countText(usage.input_tokens)],
    ['Output tokens', usage && countText(usage.output_tokens)],
    ['Cost', usage?.cost_usd === undefined ? undefined : money(usage.cost_usd)],
    ['Accepted', receipt.created_at && exactTime(receipt.created_at)],
    ['In the queue', queueTime(receipt)],
    ['Time', receipt.duration_ms === undefined ? undefined : duration(receipt.duration_ms)],
    [
      'Schema hash',
      <Link href={`/schemas/${receipt.schema_hash}`} className="break-all text-accent-ink underline">
        {receipt.schema_hash}
      </Link>,
    ],
  ];
  return (
    <section aria-label="Facts">
      <h2 className="mb-2 font-semibold">Facts</h2>
      <FactsList facts={facts} />
    </section>
  );
}

/** Time and tokens of an attempt's model call. Undefined without a call. */
function describeCall({ duration_ms: ms, usage }: Receipt['attempts'][number]): string | undefined {
  if (ms === undefined) return undefined;
  const tokens =
    usage && `, ${countText(usage.input_tokens)} input and ${countText(usage.output_tokens)} output tokens`;
  return `${duration(ms)}${tokens ?? ''}`;
}

/**
 * Returns the time from the acceptance of the request to the start of its turn. Undefined if it did
 * not wait.
 */
function queueTime({ created_at: accepted, started_at: started }: Receipt): string | undefined {
  if (accepted === undefined || started === undefined) return undefined;
  const ms = Date.parse(started) - Date.parse(accepted);
  return ms > 0 ? duration(ms) : undefined;
}
