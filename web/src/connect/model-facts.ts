/** Facts of a connected model as one line: how values come, price, context, and how long it stays. Pure. */
import type { ModelView } from '@truecast/client';
import { countText } from '../parts/format.ts';
import { describeMode } from '../value/describe-attempt.ts';

/** Returns the facts. What is unknown is said, because it decides costs. */
export function modelFacts({ mode, context_tokens: context, prices, is_connected }: ModelView): string {
  return [
    mode === undefined ? 'no way to ask for a value' : `values by ${describeMode(mode)}`,
    prices === undefined
      ? 'price unknown'
      : `$${prices.input_usd_per_million} in, $${prices.output_usd_per_million} out per million tokens`,
    context === undefined ? 'context unknown' : `${countText(context)} tokens of context`,
    is_connected === true && 'until the server stops',
  ]
    .filter(Boolean)
    .join(' · ');
}
