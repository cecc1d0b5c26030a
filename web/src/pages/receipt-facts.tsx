/** Facts of a receipt, as a list of names and values. */
import type { ReactNode } from 'react';
import type { Receipt } from '@truecast/client';
import { FactsList, type Fact } from '../parts/facts-list.tsx';
import { count, duration, money } from '../parts/format.ts';
import { describeMechanism } from '../value/describe-attempt.ts';

/** Renders the facts that the receipt has. */
export function ReceiptFacts({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { usage } = receipt;
  const facts: readonly Fact[] = [
    ['Request', receipt.request_id],
    ['Model', receipt.model],
    ['Requested by', receipt.mechanism && describeMechanism(receipt.mechanism)],
    ['Attempts', count(receipt.attempts.length)],
    ['Input tokens', usage && count(usage.input_tokens)],
    ['Output tokens', usage && count(usage.output_tokens)],
    ['Cost', usage?.cost_usd === undefined ? undefined : money(usage.cost_usd)],
    ['Time', receipt.duration_ms === undefined ? undefined : duration(receipt.duration_ms)],
    ['Schema hash', receipt.schema_hash],
  ];
  return (
    <section aria-label="Facts">
      <h2 className="mb-2 font-semibold">Facts</h2>
      <FactsList facts={facts} />
    </section>
  );
}
