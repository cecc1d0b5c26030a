/** State of a run: one fold over its events, identical while playing and after a resume. Pure. */
import type { GovernorLimits } from '../governor/run-limits.ts';
import { Spend } from '../governor/spend.ts';
import { CONDUCTOR, VISITOR } from '../ledger/event-kinds.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { memberOf, textOf } from '../ledger/fold.ts';
import { AgentView } from './agent-view.ts';
import { playersOf } from '../scenario/agent-scenario.ts';
import type { CastMember, EnsembleScenario } from '../scenario/ensemble-scenario.ts';
import { TurnQueue } from './turn-queue.ts';

/** Kinds that the engine appends for a member's turn that produced no event. */
const OUTCOMES: ReadonlySet<string> = new Set(['agent.abstained', 'agent.failed', 'agent.skipped']);

/** Everything that the next step depends on, except the clock. */
export class RunState {
  readonly scenario: EnsembleScenario;
  readonly limits: GovernorLimits;
  readonly queue: TurnQueue;
  readonly spend: Spend = new Spend();
  readonly views: ReadonlyMap<string, AgentView>;
  /** Number of events in the run. */
  length = 0;
  turn = 0;
  scene = '';
  started: LedgerEvent | undefined;
  hasGenesis = false;
  closing: string | undefined;
  /** True if the judges rule after a stop. */
  hasLastWord = false;
  finished: LedgerEvent | undefined;
  winner: Winner | undefined;
  /** The latest verdict of a judge. */
  verdict: LedgerEvent | undefined;
  /** Members that had their last word. */
  readonly lastWords: Set<string> = new Set();
  /** The model of each member's latest event. */
  readonly models: Map<string, string> = new Map();
  /** Turns in a row in which members were asked, and none of their answers became an event. */
  readonly #silence: TurnSilence = new TurnSilence();
  /** An actor outside this cast. */
  stranger: string | undefined;
  readonly #members: ReadonlyMap<string, CastMember>;
  #lastSpeaker = '';
  #inARow = 0;

  constructor(scenario: EnsembleScenario, limits: GovernorLimits) {
    this.scenario = scenario;
    this.limits = limits;
    this.queue = new TurnQueue(scenario, limits.cascade);
    this.views = new Map(scenario.cast.map((member) => [member.name, new AgentView(member)]));
    this.#members = new Map(scenario.cast.map((member) => [member.name, member]));
    for (const { name, model } of scenario.cast) this.models.set(name, model);
  }

  /** Applies the next event of the run. Never throws. */
  apply(event: LedgerEvent): void {
    this.length += 1;
    if (event.turn > this.turn) this.beginTurn(event.turn);
    this.#applyRun(event);
    this.#settle(event);
    this.#silence.apply(event);
    this.#countInARow(event);
    this.winner ??= winnerOf(this.scenario, event);
    if (event.kind === 'judge.verdict') this.verdict = event;
    this.queue.wake(event);
    this.spend.apply(event);
    for (const view of this.views.values()) view.apply(event);
  }

  /** Starts a turn. Turns without events are silent by definition. */
  beginTurn(turn: number): void {
    this.turn = turn;
    this.queue.beginTurn(turn, this.mayAct);
    this.spend.beginTurn(turn);
    this.#silence.beginTurn();
  }

  /** Number of such turns, with the current one. */
  get silentTurns(): number {
    return this.#silence.turns;
  }

  /** Returns true if a member is below its limit of consecutive events. */
  readonly mayAct = ({ name, maxConsecutive }: CastMember): boolean =>
    this.#lastSpeaker !== name || this.#inARow < maxConsecutive;

  #applyRun(event: LedgerEvent): void {
    const isConductor = event.actor === CONDUCTOR;
    if (event.kind === 'run.started' && isConductor) {
      this.started ??= event;
      this.scene = textOf(event.payload, 'goal') ?? '';
    }
    if (event.kind === 'run.closing' && isConductor) {
      this.closing ??= textOf(event.payload, 'reason') ?? 'failed';
      this.hasLastWord ||= memberOf(event.payload, 'last_word') === true;
    }
    if (event.kind === 'run.finished' && isConductor) this.finished ??= event;
    if (event.kind !== 'world.observed') return;
    this.hasGenesis ||= isConductor;
    this.scene = textOf(event.payload, 'text') ?? this.scene;
  }

  #settle(event: LedgerEvent): void {
    if (event.actor === VISITOR) return;
    if (event.actor === CONDUCTOR && !OUTCOMES.has(event.kind)) return;
    const name = event.actor === CONDUCTOR ? (textOf(event.payload, 'agent') ?? '') : event.actor;
    const member = this.#members.get(name);
    if (member === undefined) {
      this.stranger ??= name;
      return;
    }
    if (event.model !== undefined) this.models.set(name, event.model);
    if (this.closing === undefined) this.queue.settle(member, event.causedBy);
    else this.lastWords.add(name);
  }

  #countInARow({ actor, kind }: LedgerEvent): void {
    if (actor === CONDUCTOR && kind !== 'world.observed') return;
    this.#inARow = actor === this.#lastSpeaker ? this.#inARow + 1 : 1;
    this.#lastSpeaker = actor;
  }
}

/** Turns in a row in which answers were unusable, and no member produced an event. */
class TurnSilence {
  #before = 0;
  #hasEvent = false;
  #hasUnusable = false;

  /** Counts the turn that ends. A turn in which no member answered changes nothing. */
  beginTurn(): void {
    this.#before = this.turns;
    this.#hasEvent = false;
    this.#hasUnusable = false;
  }

  apply({ actor, kind, payload }: LedgerEvent): void {
    if (actor === VISITOR) return;
    if (actor !== CONDUCTOR) this.#hasEvent = true;
    // A member without calls left was not heard.
    const isUnheard = textOf(payload, 'reason')?.startsWith('budget: ') === true;
    if (actor === CONDUCTOR && kind === 'agent.skipped' && !isUnheard) this.#hasUnusable = true;
  }

  /** Includes the current turn. */
  get turns(): number {
    if (this.#hasEvent) return 0;
    return this.#before + (this.#hasUnusable ? 1 : 0);
  }
}

interface Winner {
  readonly winner: string;
  readonly winnerKind: 'agent' | 'team';
  /** Names of the winners. */
  readonly members: readonly string[];
}

/**
 * Returns the winner that an event declares: a judge's verdict for a player or a team, if the
 * scenario is a competition.
 *
 * A verdict without a winner, with `no_contest`, or for an ineligible name declares no winner: the
 * play continues.
 */
function winnerOf(scenario: EnsembleScenario, event: LedgerEvent): Winner | undefined {
  const { competition = { kind: 'none' }, cast } = scenario;
  const judge = cast.find(({ name }) => name === event.actor);
  if (event.kind !== 'judge.verdict' || judge?.role !== 'judge' || competition.kind === 'none') {
    return undefined;
  }
  const winner = textOf(event.payload, 'winner');
  if (winner === undefined || memberOf(event.payload, 'no_contest') !== undefined) return undefined;
  if (playersOf(scenario).includes(winner)) {
    return { winner, winnerKind: 'agent', members: [winner] };
  }
  const teams = competition.kind === 'versus' ? (competition.teams ?? {}) : {};
  const members = Object.hasOwn(teams, winner) ? teams[winner] : undefined;
  return members === undefined ? undefined : { winner, winnerKind: 'team', members };
}
