/** Compliance projection: how each answer was obtained, per agent, model and kind. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { amountOf, type Fold, memberOf, textOf } from '../ledger/fold.ts';

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

/** Violations that replaced the model's kind. */
const KIND_VIOLATIONS: ReadonlySet<unknown> = new Set(['kind-missing', 'kind-not-granted']);

function countsOf({ provenance, payload }: LedgerEvent, skipped: boolean): Record<Count, boolean> {
  // Reads untrusted data: a fold does not throw on an old or damaged ledger.
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
  const isAskedAgain = ['winnerReAsked', 'repeatReAsked'].some((name) => memberOf(provenance, name) === true);
  const reAsked = amountOf(provenance, 'attempts') > 1 || isAskedAgain || isAnotherPath;
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
