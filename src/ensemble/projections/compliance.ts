/** Owns how well agents keep to the contract: how each answer was got, per agent, model and kind. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { amountOf, type Fold, memberOf, textOf } from './fold.ts';

/** One account. The counts after `answers` overlap: an answer may be re-asked and repaired. */
export interface ComplianceRow {
  readonly agent: string;
  readonly model: string;
  /** The kind that was appended; `agent.skipped` where nothing usable came. */
  readonly kind: string;
  /** Turns that ended in this kind, with a model's words behind them. */
  readonly answers: number;
  /** Right at once: nothing asked again, mended, replaced or broken. */
  readonly validOnFirstTry: number;
  /** The model was asked again: for a valid answer, for another winner, or by another path. */
  readonly reAsked: number;
  /** The text was mended before it could be read. */
  readonly repaired: number;
  /** The kind was replaced by a granted one. */
  readonly coerced: number;
  /** The words were taken as they came. */
  readonly raw: number;
  readonly skipped: number;
  /** Verdicts whose winner could not be made valid. */
  readonly noContest: number;
}

type Count = Exclude<keyof ComplianceRow, 'agent' | 'model' | 'kind'>;

/**
 * Folds the compliance over events of one run or of many, in the order in which agents first answered.
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
      const isSkipped = event.kind === 'agent.skipped';
      const agent = isSkipped ? (textOf(event.payload, 'agent') ?? '') : event.actor;
      const { kind, model = '' } = event;
      const key = JSON.stringify([agent, model, kind]);
      const row = rows.get(key) ?? { agent, model, kind, ...NOTHING };
      rows.set(key, withCounts(row, countsOf(event, isSkipped)));
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

/** The violations after which the kind is not the model's own. */
const KIND_VIOLATIONS: ReadonlySet<unknown> = new Set(['kind-missing', 'kind-not-granted']);

function countsOf({ provenance, payload }: LedgerEvent, skipped: boolean): Record<Count, boolean> {
  // Read as if it were a stranger's: a fold does not throw, whatever an old or damaged ledger holds.
  const path = textOf(provenance, 'path');
  const rung = textOf(provenance, 'rung');
  const tier = textOf(provenance, 'tier');
  const repairs = listOf(provenance, 'repairs');
  const violations = listOf(provenance, 'violations');
  const raw = rung === 'raw' || tier === 'raw';
  const repaired = tier === 'repaired' || repairs.length > 0;
  const coerced =
    textOf(provenance, 'requestedKind') !== undefined ||
    violations.some((violation) => KIND_VIOLATIONS.has(memberOf(violation, 'code')));
  const isAnotherPath = path === 'validated' && rung === 'prompted';
  const reAsked =
    amountOf(provenance, 'attempts') > 1 || memberOf(provenance, 'winnerReAsked') === true || isAnotherPath;
  const noContest = memberOf(payload, 'no_contest') !== undefined;
  const isWhole = rung === 'validated' || (path === 'prompted' && tier === 'strict');
  const isClean = violations.length === 0 && !(raw || repaired || coerced || reAsked || noContest || skipped);
  return {
    answers: true,
    validOnFirstTry: isWhole && isClean,
    reAsked,
    repaired,
    coerced,
    raw,
    skipped,
    noContest,
  };
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}
