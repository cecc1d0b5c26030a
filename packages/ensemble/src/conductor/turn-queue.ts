/** Queue of a turn: woken members first, then scheduled ones. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { CastMember, EnsembleScenario } from '../scenario/ensemble-scenario.ts';
import { isWokenBy } from './agent-view.ts';

/** A member to ask and the event that woke it. A scheduled turn has no cause. */
export interface Asked {
  readonly member: CastMember;
  readonly cause?: LedgerEvent;
}

/** Returns true if a member can be asked now. */
export type MayAct = (member: CastMember) => boolean;

/**
 * The order of a turn: woken members, first in first out, at most `cascade` of them; then scheduled
 * members in cast order.
 *
 * A member is queued once, however many events wake it: it sees them all when it is asked. Members
 * woken during the scheduled part wait for the next turn.
 */
export class TurnQueue {
  readonly #cast: readonly CastMember[];
  readonly #cascade: number;
  readonly #seats: readonly string[];
  #woken: Required<Asked>[] = [];
  #scheduled: readonly CastMember[] = [];
  #hasScheduleBegun = false;
  #asked = 0;

  constructor({ cast, competition = { kind: 'none' } }: EnsembleScenario, cascade: number) {
    this.#cast = cast;
    this.#cascade = cascade;
    this.#seats = competition.kind === 'none' ? [] : (competition.symmetricSeats ?? []);
  }

  /** Starts a turn. Scheduled members that the last turn had no calls for come first. */
  beginTurn(turn: number, mayAct: MayAct): void {
    // A member that was due but not asked, because the turn was out of calls.
    const owed = this.#scheduled.filter(mayAct);
    const ordered = rotateSeats(this.#cast, this.#seats, turn);
    const due = ordered.filter((member) => isDue(member, turn) && !owed.includes(member));
    this.#scheduled = [...owed, ...due];
    this.#hasScheduleBegun = false;
    this.#asked = 0;
  }

  /** Queues the members that an event wakes. */
  wake(event: LedgerEvent): void {
    for (const member of this.#cast) {
      if (isWokenBy(member, event) && !this.#woken.some((asked) => asked.member === member)) {
        this.#woken.push({ member, cause: event });
      }
    }
  }

  /** Returns the next member to ask in this turn. */
  next(mayAct: MayAct): Asked | undefined {
    if (!this.#hasScheduleBegun && this.#asked < this.#cascade) {
      const woken = this.#woken.find(({ member }) => mayAct(member));
      if (woken !== undefined) return woken;
    }
    const member = this.#scheduled.find(mayAct);
    return member === undefined ? undefined : { member };
  }

  /**
   * The scheduled members that can be asked now, up to the first judge, who sees all their events.
   */
  together(mayAct: MayAct): readonly CastMember[] {
    const able = this.#scheduled.filter(mayAct);
    const judge = able.findIndex(({ role }) => role === 'judge');
    return judge === -1 ? able : able.slice(0, judge);
  }

  /** Records that a member was asked, because of an event or the schedule. */
  settle(member: CastMember, causedBy: string | undefined): void {
    if (causedBy !== undefined) {
      this.#woken = this.#woken.filter((asked) => asked.member !== member || asked.cause.id !== causedBy);
      this.#asked += 1;
      return;
    }
    this.#hasScheduleBegun = true;
    // Earlier members were skipped, and cast order is not revisited.
    const at = this.#scheduled.indexOf(member);
    if (at !== -1) this.#scheduled = this.#scheduled.slice(at + 1);
  }

  /** Returns true if no member will be asked again without an outside event. */
  get isIdle(): boolean {
    return this.#woken.length === 0 && this.#cast.every(({ tickEvery }) => tickEvery === null);
  }
}

function isDue({ tickEvery }: CastMember, turn: number): boolean {
  return tickEvery !== null && (tickEvery === 0 || turn % tickEvery === 0);
}

/** Each round starts with the next symmetric seat, so that no side always has the first word. */
function rotateSeats(
  cast: readonly CastMember[],
  seats: readonly string[],
  turn: number,
): readonly CastMember[] {
  const seated = cast.filter(({ name }) => seats.includes(name));
  const interval = Math.max(1, seated[0]?.tickEvery ?? 1);
  let next = Math.floor(turn / interval);
  return cast.map((member) => {
    if (!seats.includes(member.name)) return member;
    next += 1;
    // The first round starts with the first seat.
    return seated[(next + seated.length - 2) % seated.length] ?? member;
  });
}
