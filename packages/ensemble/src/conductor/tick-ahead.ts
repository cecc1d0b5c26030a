/**
 * Members of one tick that answer at the same time. Their events keep the order of the cast: each
 * turn appends only when the scheduler reaches it.
 */
import type { TurnKeeper } from './conductor-parts.ts';
import type { Step } from './next-step.ts';
import { beginAgentTurn, takeAgentTurn, type BegunTurn } from './take-turn.ts';

type Ask = Extract<Step, { type: 'ask' }>;

/** Turns that have begun before their place in the order. */
export class TickAhead {
  readonly #conductor: TurnKeeper;
  readonly #begun = new Map<string, BegunTurn>();

  constructor(conductor: TurnKeeper) {
    this.#conductor = conductor;
  }

  /** Takes the turn of a member, and begins those of the others in its tick. */
  async take(ask: Ask, isStepwise: boolean): Promise<void> {
    const { state } = this.#conductor.parts;
    const isTogether = state.scenario.parallel === true && ask.cause === undefined && !ask.isLast;
    if (!isTogether || isStepwise) return await takeAgentTurn(this.#conductor, ask);
    for (const member of state.queue.together(state.mayAct)) {
      if (!this.#begun.has(member.name)) {
        this.#begun.set(member.name, beginAgentTurn(this.#conductor, { type: 'ask', member, isLast: false }));
      }
    }
    const begun = this.#begun.get(ask.member.name);
    this.#begun.delete(ask.member.name);
    await (begun === undefined ? takeAgentTurn(this.#conductor, ask) : begun.settle());
  }

  /** Charges the calls of discarded turns. */
  async discard(): Promise<void> {
    const left = [...this.#begun.values()];
    this.#begun.clear();
    for (const turn of left) await turn.discard();
  }

  /** Aborts all turns. */
  abandon(): void {
    for (const turn of this.#begun.values()) turn.abandon();
    this.#begun.clear();
  }
}
