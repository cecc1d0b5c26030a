/**
 * Scheduler of a run: performs the steps that `next-step.ts` chooses and appends their events. Its
 * whole state is a fold over the run's events.
 */
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { CONDUCTOR, VISITOR } from '../ledger/event-kinds.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { ConductorDraft, ConductorParts, TurnKeeper } from './conductor-parts.ts';
import { TickAhead } from './tick-ahead.ts';
import { nextStep, type Step } from './next-step.ts';
import { finishedPayload, genesisPayload, startedPayload } from './run-payloads.ts';

/**
 * Plays one run. A second conductor on the same run fails with `conflict`, because its event ids
 * are taken.
 */
export class Conductor implements TurnKeeper {
  readonly parts: ConductorParts;
  #appends: Promise<unknown> = Promise.resolve();
  #told: Promise<unknown> = Promise.resolve();
  /** The error that made the ledger unusable. Nothing is appended after it. */
  #fault: { readonly error: unknown } | undefined;
  #begun: Promise<void> | undefined;
  #isPlaying = false;
  readonly #ahead = new TickAhead(this);
  #stopped: { readonly lastWord: boolean } | undefined;

  constructor(parts: ConductorParts) {
    this.parts = parts;
  }

  /**
   * Performs steps until `isEnough` returns true or only an outside event can continue the run.
   * Members of a tick answer together, unless the play is for single steps.
   */
  async play(
    isEnough: (step: Step) => boolean,
    { isStepwise = false }: { readonly isStepwise?: boolean } = {},
  ): Promise<void> {
    if (this.#isPlaying) {
      throw new UsageError('Expected one play of a run at a time, got a second. Await the first one.');
    }
    this.#isPlaying = true;
    try {
      await this.#begin();
      for (let step = this.#next(); !isEnough(step); step = this.#next()) {
        this.#assertPlayable();
        if (step.type === 'finished' || step.type === 'wait') return;
        await this.#perform(step, isStepwise);
        await this.#told;
      }
      this.#assertNoFault();
    } finally {
      this.#ahead.abandon();
      // Waits for pending appends, so that the run can be resumed at once.
      await this.#appends;
      await this.#told;
      this.#isPlaying = false;
    }
  }

  /** Appends a user's message and wakes its subscribers. */
  async inject(
    text: string,
    { label, causedBy }: { readonly label?: string; readonly causedBy?: string },
  ): Promise<LedgerEvent> {
    await this.#begin();
    const payload = { text, ...(label !== undefined && { label }) };
    const cause = causedBy === undefined ? {} : { causedBy };
    return await this.append(VISITOR, { kind: 'user.injected', payload, ...cause });
  }

  /** Ends the run with `user_stop` after the current step. The judges rule first with `lastWord`. */
  stop(lastWord: boolean): void {
    this.#stopped = { lastWord };
  }

  /** Appends one event after all pending ones. */
  async append(actor: string, draft: ConductorDraft): Promise<LedgerEvent> {
    const appended = this.#appends.then(async () => await this.#append(actor, draft));
    this.#appends = appended.catch(() => undefined);
    return await appended;
  }

  /** Appends the initial events of a run, unless they exist. */
  async #begin(): Promise<void> {
    this.#assertPlayable();
    this.#begun ??= this.#appendBeginning();
    await this.#begun;
  }

  async #appendBeginning(): Promise<void> {
    const { state } = this.parts;
    if (state.started === undefined) {
      await this.append(CONDUCTOR, { kind: 'run.started', payload: startedPayload(state.scenario) });
    }
    const causedBy = state.started === undefined ? {} : { causedBy: state.started.id };
    if (!state.hasGenesis) {
      await this.append(CONDUCTOR, {
        kind: 'world.observed',
        payload: genesisPayload(state.scenario),
        ...causedBy,
      });
    }
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
    if (this.#stopped === undefined || !canStop || state.closing !== undefined) return step;
    return { type: 'close', reason: 'user_stop', ...(this.#stopped.lastWord && { last_word: true }) };
  }

  async #append(actor: string, draft: ConductorDraft): Promise<LedgerEvent> {
    const { ledger, runId, state, onEvent } = this.parts;
    this.#assertPlayable();
    if (state.finished !== undefined) {
      throw new LedgerError(
        `Expected the run \`${runId}\` to be open, got one that has finished. Start a new run.`,
        { code: 'run-finished' },
      );
    }
    const id = `${runId}.${state.length + 1}`;
    const event = await ledger
      .as(actor)
      .append({ ...draft, id, runId, turn: state.turn })
      .catch((error: unknown) => {
        if (!isRefusal(error)) this.#fault ??= { error };
        throw error;
      });
    state.apply(event);
    // Notifies in order, separately from appends: a listener may inject events.
    this.#told = this.#told
      .then(async () => await onEvent(event))
      .catch((error: unknown) => (this.#fault ??= { error }));
    return event;
  }

  async #perform(step: Step, isStepwise: boolean): Promise<void> {
    const { state } = this.parts;
    switch (step.type) {
      case 'ask':
        await this.#ahead.take(step, isStepwise);
        return;
      case 'begin-turn':
        state.beginTurn(step.turn);
        return;
      case 'close': {
        await this.#ahead.discard();
        const { type: _type, ...payload } = step;
        await this.append(CONDUCTOR, { kind: 'run.closing', payload });
        return;
      }
      case 'finish':
        await this.#ahead.discard();
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

/**
 * The gate rejected an event: its actor's fault, and the ledger is unchanged. Any other error ends
 * the play.
 */
function isRefusal(error: unknown): boolean {
  return LedgerError.isInstance(error) && error.code !== 'conflict';
}
