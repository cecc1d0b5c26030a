/** Compliance projection: how each answer was obtained, per agent, model and kind. Pure. */
import { complianceOf } from '@truecast/core/internal/event-contract/answer-compliance';
import { type Fold, textOf } from '../ledger/fold.ts';

/**
 * Counts of one agent, model and kind. Counts after `answers` overlap: an answer can be re-asked
 * and repaired.
 */
export interface ComplianceRow {
  readonly agent: string;
  readonly model: string;
  /** The appended kind. `agent.skipped` without a usable answer. */
  readonly kind: string;
  /** Turns that ended in this kind with text from a model. */
  readonly answers: number;
  /** Valid at the first attempt: no re-ask, repair, replacement or violation. */
  readonly validOnFirstTry: number;
  /** Asked again: for a valid answer, another winner or a new line, or by another path. */
  readonly reAsked: number;
  /** Repaired before parsing. */
  readonly repaired: number;
  /** The kind was replaced by a granted one. */
  readonly coerced: number;
  /** The unparsed text was used. */
  readonly raw: number;
  readonly skipped: number;
  /** Verdicts with a winner that could not be made valid. */
  readonly noContest: number;
}

type Count = Exclude<keyof ComplianceRow, 'agent' | 'model' | 'kind'>;

/**
 * Computes compliance from events of one or many runs, in the order of agents' first answers.
 *
 * @example
 * ```ts
 * const compliance = foldCompliance();
 * for await (const event of memoryLedger().read()) compliance.apply(event);
 * for (const { agent, answers, validOnFirstTry } of compliance.read()) console.log(agent, validOnFirstTry / answers);
 * ```
 */
export function foldCompliance(): Fold<readonly ComplianceRow[]> {
  const rows = new Map<string, ComplianceRow>();
  return {
    apply(event) {
      if (event.provenance === undefined) return;
      const counts = { answers: true, ...complianceOf(event) };
      const agent = counts.skipped ? (textOf(event.payload, 'agent') ?? '') : event.actor;
      const { kind, model = '' } = event;
      const key = JSON.stringify([agent, model, kind]);
      const row = rows.get(key) ?? { agent, model, kind, ...NOTHING };
      rows.set(key, withCounts(row, counts));
    },
    read: () => [...rows.values()],
  };
}

const NOTHING: Readonly<Record<Count, number>> = {
  answers: 0,
  validOnFirstTry: 0,
  reAsked: 0,
  repaired: 0,
  coerced: 0,
  raw: 0,
  skipped: 0,
  noContest: 0,
};

function withCounts(row: ComplianceRow, counts: Readonly<Record<Count, boolean>>): ComplianceRow {
  const add = (name: Count): number => row[name] + (counts[name] ? 1 : 0);
  return {
    ...row,
    answers: add('answers'),
    validOnFirstTry: add('validOnFirstTry'),
    reAsked: add('reAsked'),
    repaired: add('repaired'),
    coerced: add('coerced'),
    raw: add('raw'),
    skipped: add('skipped'),
    noContest: add('noContest'),
  };
}
