/** Labels for how an answer was obtained (ladder rung, repairs), in a few words. Pure. */
import type { EventProvenance } from '@truecast/ensemble/internal/ledger/ledger-event';

/** How an answer was obtained, and whether that matches the request. */
interface AnswerLabel {
  readonly words: string;
  readonly isFirstTry: boolean;
}

export function labelAnswer(provenance: EventProvenance): AnswerLabel {
  const { path, rung, attempts, tier, requestedKind, winnerReAsked, repeatReAsked } = provenance;
  const notes = [
    rung === 'prompted' && path === 'validated' ? 'asked in the prompt' : undefined,
    attempts > 1 ? `re-asked ${attempts - 1}×` : undefined,
    tier === 'embedded' ? 'found in prose' : undefined,
    tier === 'repaired' ? 'repaired' : undefined,
    ...namesOf(provenance),
    rung === 'raw' || tier === 'raw' ? 'raw text' : undefined,
    requestedKind === undefined ? undefined : `wanted ${requestedKind}`,
    winnerReAsked === true ? 'winner re-asked' : undefined,
    repeatReAsked === true ? 'repeated line re-asked' : undefined,
  ].filter((note) => note !== undefined);
  if (notes.length > 0) return { words: notes.join(' · '), isFirstTry: false };
  // A reply that is valid as a whole was not read leniently.
  if (rung === 'received') return { words: 'read leniently', isFirstTry: false };
  return { words: 'first try', isFirstTry: true };
}

/** Names of repairs and violations. Omitted if the label already includes them. */
function namesOf({ repairs = [], violations = [], tier, rung, requestedKind }: EventProvenance): string[] {
  const mended = [...new Set(repairs.map(({ kind }) => kind))];
  const broken = violations
    .filter(({ code }) => !(code === 'kind-not-granted' && requestedKind !== undefined))
    .map(({ code, field }) => (field === '' ? code : `${code} ${field}`));
  const isRaw = rung === 'raw' || tier === 'raw';
  return [mended.join(', '), isRaw ? '' : [...new Set(broken)].join(', ')].filter((names) => names !== '');
}

/**
 * Returns `ada 9, bob 2`, the best first. Accepts any payload. Values that are not scores are
 * omitted.
 */
export function scoreText(scores: unknown): string {
  return Object.entries(typeof scores === 'object' && scores !== null ? scores : {})
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .sort((a, b) => b[1] - a[1])
    .map(([name, score]) => `${name} ${score}`)
    .join(', ');
}
