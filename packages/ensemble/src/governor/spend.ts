/**
 * Spending of a run: a fold over its events, so that a resumed run keeps its remaining budget.
 * Pure.
 */
import type { BudgetExceededErrorCode } from '@truecast/core/internal/errors/budget-exceeded-error';
import type { StructuredOutputErrorCode } from '@truecast/core/internal/errors/structured-output-error';
import { CONDUCTOR, VISITOR } from '../ledger/event-kinds.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { addTokens, amountOf, costOfCall, textOf, tokensOfCall } from '../ledger/fold.ts';
import type { GovernorLimits } from './run-limits.ts';

const HOUR_MS = 3_600_000;
/** Money is summed in whole billionths of a dollar: sums of fractions would drift. */
const NANOS_PER_USD = 1_000_000_000;

/** A limit that ends a run. `uncounted`: a call lacks the tokens or the cost that a limit needs. */
export type ReachedLimit = BudgetExceededErrorCode | 'uncounted';

/** How much of a limit is used. */
interface Standing {
  readonly code: BudgetExceededErrorCode;
  readonly used: number;
  readonly limit: number;
}

/** Tokens, calls, money and failures of one run. */
export class Spend {
  #calls = 0;
  #callsThisTurn = 0;
  /** Values of the member's current turn. */
  #callsNow = 0;
  #tokens: number | undefined = 0;
  /** Answered calls without tokens, and without a cost. */
  #withoutTokens = 0;
  #withoutCost = 0;
  #turn = 0;
  #failedCalls = 0;
  #failedAgents = 0;
  /** Calls with a cost, oldest first, kept while they can be within the hour. */
  readonly #paid: { readonly atMs: number; readonly nanos: number }[] = [];
  #paidNanos = 0;

  /** Adds an event. Never throws. */
  apply(event: LedgerEvent): void {
    if (event.turn > this.#turn) this.beginTurn(event.turn);
    if (event.kind === 'model.called') this.#applyCall(event);
    else this.#applyOutcome(event);
  }

  #applyOutcome(event: LedgerEvent): void {
    if (event.actor !== VISITOR) this.#callsNow = 0;
    if (event.kind === 'agent.failed') this.#failedAgents += 1;
    // An agent that answered or abstained ends a series of failures.
    else if (isAnswer(event)) this.#failedAgents = 0;
  }

  /** Starts counting the calls of a turn. */
  beginTurn(turn: number): void {
    this.#turn = turn;
    this.#callsThisTurn = 0;
    this.#callsNow = 0;
  }

  /** Undefined if no call reported its tokens. */
  get tokens(): number | undefined {
    return this.#tokens;
  }

  get calls(): number {
    return this.#calls;
  }

  usdWithinHour(nowMs: number): number {
    return this.#nanosWithinHour(nowMs) / NANOS_PER_USD;
  }

  /**
   * Returns the first limit that is reached, which forbids further calls. Limits of the run come
   * before the turn's.
   */
  reached(limits: GovernorLimits, nowMs: number): ReachedLimit | undefined {
    // An interrupted turn is repeated, whatever calls it had made.
    const callsThisTurn = this.#callsThisTurn - this.#callsNow;
    const standing = this.#standing(limits, nowMs, callsThisTurn);
    const reached = standing.find(({ used, limit }) => used >= limit)?.code;
    const isOfRun = reached !== undefined && reached !== 'calls-per-turn';
    return !isOfRun && this.#isUncounted(limits) ? 'uncounted' : reached;
  }

  /** Returns the first limit that is exceeded, which forbids use of the answer. */
  passed(limits: GovernorLimits, nowMs: number): BudgetExceededErrorCode | undefined {
    return this.#standing(limits, nowMs, this.#callsThisTurn).find(({ used, limit }) => used > limit)?.code;
  }

  /** Returns true if further calls would be paid for without the limit that was set. */
  #isUncounted({ tokens, usdPerHour }: GovernorLimits): boolean {
    return (tokens < Infinity && this.#withoutTokens > 0) || (usdPerHour < Infinity && this.#withoutCost > 0);
  }

  #standing(limits: GovernorLimits, nowMs: number, callsThisTurn: number): readonly Standing[] {
    const failures = Math.max(this.#failedCalls, this.#failedAgents);
    return [
      { code: 'failures', used: failures, limit: limits.consecutiveFailures },
      { code: 'calls', used: this.#calls, limit: limits.calls },
      { code: 'tokens', used: this.#tokens ?? 0, limit: limits.tokens },
      { code: 'usd-per-hour', used: this.#nanosWithinHour(nowMs), limit: limits.usdPerHour * NANOS_PER_USD },
      { code: 'calls-per-turn', used: callsThisTurn, limit: limits.callsPerTurn },
    ];
  }

  #applyCall(event: LedgerEvent): void {
    const { payload, createdAt } = event;
    // A first call after others: the turn was interrupted and starts again. The earlier calls are
    // spent, but not part of it.
    if (amountOf(payload, 'call') === 1) {
      this.#callsThisTurn -= this.#callsNow;
      this.#callsNow = 0;
    }
    this.#calls += 1;
    this.#callsNow += 1;
    this.#callsThisTurn += 1;
    const [tokens, usd] = [tokensOfCall(event), costOfCall(event)];
    this.#tokens = addTokens(this.#tokens, tokens);
    const isAnswered = ANSWERED.has(textOf(payload, 'code'));
    this.#failedCalls = isAnswered ? 0 : this.#failedCalls + 1;
    if (isAnswered && tokens === undefined) this.#withoutTokens += 1;
    if (isAnswered && usd === undefined) this.#withoutCost += 1;
    const nanos = Math.round((usd ?? 0) * NANOS_PER_USD);
    const atMs = Date.parse(createdAt);
    if (nanos === 0 || Number.isNaN(atMs)) return;
    this.#paid.push({ atMs, nanos });
    this.#paidNanos += nanos;
  }

  #nanosWithinHour(nowMs: number): number {
    for (let oldest = this.#paid[0]; oldest !== undefined && oldest.atMs <= nowMs - HOUR_MS;) {
      this.#paidNanos -= oldest.nanos;
      this.#paid.shift();
      oldest = this.#paid[0];
    }
    return this.#paidNanos;
  }
}

/** Codes of calls that were answered. An invalid answer shows that the service works. */
const ANSWERED: ReadonlySet<unknown> = new Set<StructuredOutputErrorCode | 'ok' | 'unsupported'>([
  'ok',
  'invalid-json',
  'not-produced',
  'schema-mismatch',
  'tag-not-found',
  'too-large',
  'truncated',
  'runaway',
  'unsupported',
]);

function isAnswer({ actor, kind }: LedgerEvent): boolean {
  return kind === 'agent.abstained' || (actor !== CONDUCTOR && actor !== VISITOR);
}
