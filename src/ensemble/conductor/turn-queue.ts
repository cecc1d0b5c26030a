/** Owns who is to be asked in a turn, and in which order: the woken first, then the scheduled ones. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { CastMember } from './ensemble-scenario.ts';
import { isWokenBy } from './subscription.ts';

/** Who is to be asked, and by what it was woken; a scheduled turn has no cause. */
export interface Asked {
  readonly member: CastMember;
  readonly cause?: LedgerEvent;
}

/** Tells whether a member may be asked now. */
export type MayAct = (member: CastMember) => boolean;

/**
 * The order of a turn: woken members, first in first out, at most `cascade` of them; then those that the schedule names, in the order of the cast.
 *
 * A member waits once however many events wake it: it sees them all when it is asked. What wakes during the scheduled part waits for the next turn.
 */
export class TurnQueue {
  readonly #cast: readonly CastMember[];
  readonly #cascade: number;
  #woken: Required<Asked>[] = [];
  #scheduled: readonly CastMember[] = [];
  #hasScheduleBegun = false;
  #asked = 0;

  constructor(cast: readonly CastMember[], cascade: number) {
    this.#cast = cast;
    this.#cascade = cascade;
  }

  /** Begins a turn. Scheduled members that the last one had no calls left for come first. */
  beginTurn(turn: number, mayAct: MayAct): void {
    // A member that could have been asked and was not: the turn was out of calls.
    const owed = this.#scheduled.filter(mayAct);
    const due = this.#cast.filter((member) => isDue(member, turn) && !owed.includes(member));
    this.#scheduled = [...owed, ...due];
    this.#hasScheduleBegun = false;
    this.#asked = 0;
  }

  /** Lets an event wake whom it concerns. */
  wake(event: LedgerEvent): void {
    for (const member of this.#cast)
      if (isWokenBy(member, event) && !this.#woken.some((asked) => asked.member === member))
        this.#woken.push({ member, cause: event });
  }

  /** Returns who is to be asked next in this turn. */
  next(mayAct: MayAct): Asked | undefined {
    if (!this.#hasScheduleBegun && this.#asked < this.#cascade) {
      const woken = this.#woken.find(({ member }) => mayAct(member));
      if (woken !== undefined) return woken;
    }
    const member = this.#scheduled.find(mayAct);
    return member === undefined ? undefined : { member };
  }

  /** Takes in that a member was asked, because of an event or of the schedule. */
  settle(member: CastMember, causedBy: string | undefined): void {
    if (causedBy !== undefined) {
      this.#woken = this.#woken.filter((asked) => asked.member !== member || asked.cause.id !== causedBy);
      this.#asked += 1;
      return;
    }
    this.#hasScheduleBegun = true;
    // Those before it had to be passed over, and the order of the cast is not gone back on.
    const at = this.#scheduled.indexOf(member);
    if (at !== -1) this.#scheduled = this.#scheduled.slice(at + 1);
  }

  /** Tells whether nothing will ever be asked again without an event from outside. */
  get isIdle(): boolean {
    return this.#woken.length === 0 && this.#cast.every(({ tickEvery }) => tickEvery === null);
  }
}

function isDue({ tickEvery }: CastMember, turn: number): boolean {
  return tickEvery !== null && (tickEvery === 0 || turn % tickEvery === 0);
}
