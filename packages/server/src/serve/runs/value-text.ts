/** Text of a run's value: canonical JSON with the digits that the agent wrote. Pure. */
import { exactJson } from '@truecast/core/internal/output/finalizer/exact-json';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import type { RunResultWithOutput } from 'truecast/internal/run/options/run-options';

/**
 * The agent's own text keeps digits that a parsed number would lose. If the text contains more than
 * the value, the value is serialized instead.
 */
export function valueText({
  output,
  provenance,
}: Pick<RunResultWithOutput<unknown>, 'output' | 'provenance'>): string {
  const written = canonicalJson(output);
  const parsed = parseJson(provenance.raw);
  return parsed.success && canonicalJson(parsed.value) === written ? exactJson(provenance.raw) : written;
}
