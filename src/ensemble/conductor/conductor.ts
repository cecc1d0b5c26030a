/** Owns the playing of a run: performs the steps that `next-step.ts` chooses, and appends what came of them. All it knows of the run is the fold over its events. */
import { LedgerError } from '../../errors/ledger-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { CONDUCTOR, VISITOR } from '../ledger/event-kinds.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { ConductorDraft, ConductorParts, TurnKeeper } from './conductor-parts.ts';
import { takeTurn } from './take-turn.ts';
import { nextStep, type Step } from './next-step.ts';
import { finishedPayload, genesisPayload, startedPayload } from './run-payloads.ts';

/** Plays one run. One conductor plays a run at a time: a second one meets the `conflict` of an id that is taken. */
export class Conductor implements TurnKeeper {
  readonly parts: ConductorParts;
  #appends: Promise<unknown> = Promise.resolve();
  #told: Promise<unknown> = Promise.resolve();
  /** What made the ledger unusable; nothing is appended after it. */
  #fault: { readonly error: unknown } | undefined;
  #begun: Promise<void> | undefined;
  #isPlaying = false;
  #isStopped = false;

  constructor(parts: ConductorParts) {
    this.parts = parts;
  }

  /** Performs steps until `isEnough` says so, or there is nothing to do without a word from outside. */
  async play(isEnough: (step: Step) => boolean): Promise<void> {
    if (this.#isPlaying)
      throw new UsageError('Expected one play of a run at a time, got a second. Await the first.');
    this.#isPlaying = true;
    try {
      await this.#begin();
      for (let step = this.#next(); !isEnough(step); step = this.#next()) {
        this.#assertPlayable();
        if (step.type === 'finished' || step.type === 'wait') return;
        await this.#perform(step);
        await this.#told;
      }
      this.#assertNoFault();
    } finally {
      // Nothing is on its way to the ledger any more when the play is over: the run may be resumed at once.
      await this.#appends;
      await this.#told;
      this.#isPlaying = false;
    }
  }

  /** Appends what a user says; whoever subscribes to it is woken. */
  async inject(text: string, label?: string): Promise<LedgerEvent> {
    await this.#begin();
    const payload = { text, ...(label !== undefined && { label }) };
    return await this.append(VISITOR, { kind: 'user.injected', payload });
  }

  /** Lets the run end by `user_stop` after the step that is being performed. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Appends one event, after those that are on their way. */
  async append(actor: string, draft: ConductorDraft): Promise<LedgerEvent> {
    const appended = this.#appends.then(async () => await this.#append(actor, draft));
    this.#appends = appended.catch(() => undefined);
    return await appended;
  }

  /** Appends what every run begins with, as far as it is not there. */
  async #begin(): Promise<void> {
    this.#assertPlayable();
    this.#begun ??= this.#appendBeginning();
    await this.#begun;
  }

  async #appendBeginning(): Promise<void> {
    const { state } = this.parts;
    if (state.started === undefined)
      await this.append(CONDUCTOR, { kind: 'run.started', payload: startedPayload(state.scenario) });
    const causedBy = state.started === undefined ? {} : { causedBy: state.started.id };
    if (!state.hasGenesis)
      await this.append(CONDUCTOR, {
        kind: 'world.observed',
        payload: genesisPayload(state.scenario),
        ...causedBy,
      });
  }

  #assertPlayable(): void {
    this.#assertNoFault();
    this.parts.signal.throwIfAborted();
  }

  #assertNoFault(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  #next(): Step {
    const { state, clock } = this.parts;
    const step = nextStep(state, clock());
    const canStop = step.type === 'ask' || step.type === 'begin-turn' || step.type === 'wait';
    if (!this.#isStopped || !canStop || state.closing !== undefined) return step;
    return { type: 'close', reason: 'user_stop' };
  }

  async #append(actor: string, draft: ConductorDraft): Promise<LedgerEvent> {
    const { ledger, runId, state, onEvent } = this.parts;
    this.#assertPlayable();
    if (state.finished !== undefined)
      throw new LedgerError(
        `Expected the run \`${runId}\` to be open, got one that has finished. Begin a new run.`,
        { code: 'run-finished' },
      );
    const id = `${runId}.${state.length + 1}`;
    const event = await ledger
      .as(actor)
      .append({ ...draft, id, runId, turn: state.turn })
      .catch((error: unknown) => {
        if (!isRefusal(error)) this.#fault ??= { error };
        throw error;
      });
    state.apply(event);
    // Told in order and beside the appends: who is told may inject.
    this.#told = this.#told
      .then(async () => await onEvent(event))
      .catch((error: unknown) => (this.#fault ??= { error }));
    return event;
  }

  async #perform(step: Step): Promise<void> {
    const { state } = this.parts;
    switch (step.type) {
      case 'ask':
        await takeTurn(this, step);
        return;
      case 'begin-turn':
        state.beginTurn(step.turn);
        return;
      case 'close': {
        const { type: _type, ...payload } = step;
        await this.append(CONDUCTOR, { kind: 'run.closing', payload });
        return;
      }
      case 'finish':
        await this.append(CONDUCTOR, { kind: 'run.finished', payload: finishedPayload(state, step.reason) });
        return;
      case 'wait':
      case 'finished':
        return;
      default:
        step satisfies never;
    }
  }
}

/** The gate refused an event: that is its actor's fault, and the ledger is as it was. Whatever else is thrown ends the play. */
function isRefusal(error: unknown): boolean {
  return LedgerError.isInstance(error) && error.code !== 'conflict';
}
