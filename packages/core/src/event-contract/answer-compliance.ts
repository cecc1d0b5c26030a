/** Compliance of one event of a ledger: how its answer was obtained. Reads untrusted data. Pure. */
import { isRecord } from '../kit/is-record.ts';

/** The members of an event that are read. */
export interface AnsweredEvent {
  readonly kind: string;
  readonly payload: unknown;
  /** Record of the answer. Events without one are not answers. */
  readonly provenance?: unknown;
}

/** Facts of one answer. They overlap: an answer can be asked again and repaired. */
export interface AnswerCompliance {
  /** Valid at the first attempt: no other fact is true, and no rule was broken. */
  readonly validOnFirstTry: boolean;
  /** Asked again: for a valid answer, another winner or a new line, or by another path. */
  readonly reAsked: boolean;
  /** Repaired before parsing. */
  readonly repaired: boolean;
  /** The kind was replaced by a granted one. */
  readonly coerced: boolean;
  /** The unparsed text was used. */
  readonly raw: boolean;
  /** Without a usable answer. */
  readonly skipped: boolean;
  /** A verdict with a winner that could not be made valid. */
  readonly noContest: boolean;
}

/** Violations that replaced the model's kind. */
const KIND_VIOLATIONS: ReadonlySet<unknown> = new Set(['kind-missing', 'kind-not-granted']);

/** Reads the facts. Never throws, also for an old or damaged ledger. */
export function complianceOf({ kind, payload, provenance }: AnsweredEvent): AnswerCompliance {
  const facts = isRecord(provenance) ? provenance : {};
  const { path, rung, tier, attempts } = facts;
  const violations = listOf(facts['violations']);
  const skipped = kind === 'agent.skipped';
  const raw = rung === 'raw' || tier === 'raw';
  const repaired = tier === 'repaired' || listOf(facts['repairs']).length > 0;
  const coerced =
    typeof facts['requestedKind'] === 'string' ||
    violations.some((each) => isRecord(each) && KIND_VIOLATIONS.has(each['code']));
  const reAsked =
    (typeof attempts === 'number' && attempts > 1) ||
    facts['winnerReAsked'] === true ||
    facts['repeatReAsked'] === true ||
    (path === 'validated' && rung === 'prompted');
  const noContest = isRecord(payload) && payload['no_contest'] !== undefined;
  const isWhole = rung === 'validated' || (path === 'prompted' && tier === 'strict');
  const isClean = violations.length === 0 && !(raw || repaired || coerced || reAsked || noContest || skipped);
  return { validOnFirstTry: isWhole && isClean, reAsked, repaired, coerced, raw, skipped, noContest };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
