/** Owns how it is said in a few words by which rung of the ladder an answer was got. Pure. */
import type { EventProvenance } from '../../ensemble/ledger/ledger-event.ts';

/** How an answer was got, and whether that was as asked. */
export interface AnswerLabel {
  readonly words: string;
  readonly isFirstTry: boolean;
}

/** Says how an answer was got. */
export function labelAnswer(provenance: EventProvenance): AnswerLabel {
  const { path, rung, attempts, tier, requestedKind, winnerReAsked } = provenance;
  const notes = [
    rung === 'received' ? 'read from a refused answer' : undefined,
    rung === 'prompted' && path === 'validated' ? 'asked in words' : undefined,
    attempts > 1 ? `re-asked ${attempts - 1}×` : undefined,
    tier === 'embedded' ? 'found in prose' : undefined,
    tier === 'repaired' ? 'repaired' : undefined,
    ...namesOf(provenance),
    rung === 'raw' || tier === 'raw' ? 'raw words' : undefined,
    requestedKind === undefined ? undefined : `wanted ${requestedKind}`,
    winnerReAsked === true ? 'winner re-asked' : undefined,
  ].filter((note) => note !== undefined);
  if (notes.length === 0) return { words: 'first try', isFirstTry: true };
  return { words: notes.join(' · '), isFirstTry: false };
}

/** What was mended, and what was broken; in words that say it all, neither is repeated. */
function namesOf({ repairs = [], violations = [], tier, rung, requestedKind }: EventProvenance): string[] {
  const mended = [...new Set(repairs.map(({ kind }) => kind))];
  const broken = violations
    .filter(({ code }) => !(code === 'kind-not-granted' && requestedKind !== undefined))
    .map(({ code, field }) => (field === '' ? code : `${code} ${field}`));
  const isRaw = rung === 'raw' || tier === 'raw';
  return [mended.join(', '), isRaw ? '' : [...new Set(broken)].join(', ')].filter((names) => names !== '');
}
