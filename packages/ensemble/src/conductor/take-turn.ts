/** Turn of one member: its input, its charges, and the one event that ends it. */
import { BudgetExceededError } from '@truecast/core/internal/errors/budget-exceeded-error';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentAct, AgentTurn, ModelCall } from '../scenario/ensemble-agent.ts';
import { CONDUCTOR } from '../ledger/event-kinds.ts';
import { budgetExceeded, chargeOf } from './charge.ts';
import type { ConductorDraft, TurnKeeper } from './conductor-parts.ts';
import type { Step } from './next-step.ts';

type Ask = Extract<Step, { type: 'ask' }>;

/** The event that ends a turn, and its actor. */
interface Outcome {
  readonly actor: string;
  readonly draft: ConductorDraft;
}

/** Asks a member and appends the result: its event, or the reason for its absence. */
export async function takeAgentTurn(conductor: TurnKeeper, ask: Ask): Promise<void> {
  const { signal, state } = conductor.parts;
  const time = startTurnTime(state.limits.turnTimeoutMs, signal);
  const turn = new OpenTurn(conductor, ask, time.signal);
  let outcome: Outcome;
  try {
    outcome = outcomeOf(ask, await untilAborted(turn.act(), time.signal));
  } catch (error) {
    // An abort or a broken ledger also rejects this append and ends the play.
    outcome = failureOf(ask, error);
  } finally {
    time.stop();
  }
  await appendOutcome(conductor, ask, outcome);
}

async function appendOutcome(conductor: TurnKeeper, ask: Ask, { actor, draft }: Outcome): Promise<void> {
  const causedBy = ask.cause === undefined ? {} : { causedBy: ask.cause.id };
  try {
    await conductor.append(actor, { ...draft, ...causedBy });
  } catch (error) {
    // The gate rejected the member's event: the turn failed, the run continues.
    const failure = failureOf(ask, error);
    await conductor.append(failure.actor, { ...failure.draft, ...causedBy });
  }
}

/** A running turn: the input of its member. */
class OpenTurn {
  readonly #conductor: TurnKeeper;
  readonly #ask: Ask;
  readonly #signal: AbortSignal;
  #calls = 0;

  constructor(conductor: TurnKeeper, ask: Ask, signal: AbortSignal) {
    this.#conductor = conductor;
    this.#ask = ask;
    this.#signal = signal;
  }

  async act(): Promise<AgentAct> {
    const { agents, runId, state } = this.#conductor.parts;
    const { member, cause, isLast } = this.#ask;
    const view = state.views.get(member.name);
    const turn: AgentTurn = {
      runId,
      turn: state.turn,
      seed: state.scenario.seed,
      ...(cause !== undefined && { cause }),
      visible: view?.visible() ?? [],
      unreflected: view?.unreflected ?? 0,
      scene: state.scene,
      isLast,
      signal: this.#signal,
      charge: async (call) => await this.#charge(call),
    };
    const agent = agents.get(member.name);
    if (agent === undefined)
      throw new UsageError(`Expected an agent for \`${member.name}\`, got none. Pass one in \`agents\`.`);
    return await agent.act(turn);
  }

  async #charge(call: ModelCall): Promise<void> {
    const { state, clock } = this.#conductor.parts;
    const { member, cause, isLast } = this.#ask;
    // A turn that was given up must not spend.
    this.#signal.throwIfAborted();
    this.#calls += 1;
    await this.#conductor.append(CONDUCTOR, {
      kind: 'model.called',
      payload: chargeOf(member.name, this.#calls, call),
      ...(cause !== undefined && { causedBy: cause.id }),
    });
    // The last word comes after the budget: its calls are charged, and limited only in number.
    const passed = isLast ? undefined : state.spend.passed(state.limits, clock());
    if (passed !== undefined) throw budgetExceeded(passed);
    if (isLast && this.#calls > state.limits.callsPerTurn) throw budgetExceeded('calls-per-turn');
  }
}

function outcomeOf({ member }: Ask, act: AgentAct): Outcome {
  switch (act.type) {
    case 'event': {
      const { kind, payload, provenance, model } = act;
      return {
        actor: member.name,
        draft: {
          kind,
          payload,
          ...(provenance !== undefined && { provenance }),
          ...(model !== undefined && { model }),
        },
      };
    }
    case 'skipped': {
      const { provenance, model } = act;
      return skip(member.name, act.reason, provenance.tier ?? null, { provenance, model });
    }
    case 'abstained':
      return { actor: CONDUCTOR, draft: { kind: 'agent.abstained', payload: { agent: member.name } } };
    default:
      act satisfies never;
      throw new LedgerError(
        'Expected a turn to return an act of type `event`, `skipped` or `abstained`, got another. Correct the agent.',
        { code: 'invalid-event' },
      );
  }
}

function failureOf({ member }: Ask, error: unknown): Outcome {
  if (BudgetExceededError.isInstance(error)) return skip(member.name, `budget: ${error.code}`, null, {});
  const code = TruecastError.isInstance(error) ? error.code : 'error';
  const message = error instanceof Error ? cut(error.message, MAX_MESSAGE_CHARS) : cut(String(error));
  const payload = { agent: member.name, code, message };
  return { actor: CONDUCTOR, draft: { kind: 'agent.failed', payload } };
}

/** Enough of an error to act on. A whole prompt or page would bloat the ledger. */
const MAX_MESSAGE_CHARS = 500;

function skip(
  agent: string,
  reason: string,
  tier: string | null,
  how: Pick<ConductorDraft, 'provenance' | 'model'>,
): Outcome {
  return { actor: CONDUCTOR, draft: { kind: 'agent.skipped', payload: { agent, reason, tier }, ...how } };
}

/** A turn's own signal: the run's, and its time limit. */
function startTurnTime(
  limitMs: number,
  signal: AbortSignal,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  if (limitMs === Infinity) return { signal, stop: () => undefined };
  const controller = new AbortController();
  const message = `The turn took longer than ${limitMs} ms. Raise \`turn_timeout_seconds\`, or use a faster model.`;
  const timer = setTimeout(() => controller.abort(new ModelError(message, { code: 'timeout' })), limitMs);
  return { signal: AbortSignal.any([signal, controller.signal]), stop: () => clearTimeout(timer) };
}

/** Rejects with the signal's reason as soon as it aborts, whatever the member does. */
async function untilAborted<TValue>(work: Promise<TValue>, signal: AbortSignal): Promise<TValue> {
  signal.throwIfAborted();
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
