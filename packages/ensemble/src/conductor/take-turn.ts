/** Turn of one member: its input, its charges, and the one event that ends it. */
import { untilAborted } from '@truecast/core/internal/kit/until-aborted';
import { BudgetExceededError } from '@truecast/core/internal/errors/budget-exceeded-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { processSecrets } from '@truecast/host/internal/masking/secret-values';
import type { AgentAct, AgentTurn, ModelCall } from '../scenario/ensemble-agent.ts';
import { CONDUCTOR } from '../ledger/event-kinds.ts';
import { budgetExceeded, chargeOf } from './charge.ts';
import type { ConductorDraft, TurnKeeper } from './conductor-parts.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { Step } from './next-step.ts';
import type { RunState } from './run-state.ts';

type Ask = Extract<Step, { type: 'ask' }>;

/** The event that ends a turn, and its actor. */
interface Outcome {
  readonly actor: string;
  readonly draft: ConductorDraft;
}

/** A turn whose member is answering. Its charges wait until the scheduler reaches its place. */
export interface BegunTurn {
  /** Waits for the answer and appends the result: the event, or the reason for its absence. */
  settle(): Promise<void>;
  /** Waits for the answer and charges its calls. The answer is not used. */
  discard(): Promise<void>;
  /** Aborts the turn. */
  abandon(): void;
}

/** Asks a member and appends the result: its event, or the reason for its absence. */
export async function takeAgentTurn(conductor: TurnKeeper, ask: Ask): Promise<void> {
  await beginAgentTurn(conductor, ask).settle();
}

/** Asks a member. Nothing is appended before `settle()` or `discard()` is called. */
export function beginAgentTurn(conductor: TurnKeeper, ask: Ask): BegunTurn {
  const { signal, state } = conductor.parts;
  const abandoned = new AbortController();
  const time = startTurnTime(state.limits.turnTimeoutMs, AbortSignal.any([signal, abandoned.signal]));
  let open = (): void => undefined;
  const place = new Promise<void>((resolve) => (open = resolve));
  const turn = new OpenTurn(conductor, ask, { time, place });
  const acting = untilAborted(turn.act(), time.signal)
    .then((act) => outcomeOf(ask, act))
    // An abort or a broken ledger also rejects the append and ends the play.
    .catch((error: unknown) => failureOf(ask, error));
  const answered = async (): Promise<Outcome> => {
    open();
    return await acting.finally(time.stop);
  };
  return {
    settle: async () => await appendOutcome(conductor, ask, await answered()),
    discard: async () => void (await answered()),
    abandon: () =>
      abandoned.abort(new LedgerError('The turn was given up. Resume the run.', { code: 'conflict' })),
  };
}

async function appendOutcome(conductor: TurnKeeper, ask: Ask, { actor, draft }: Outcome): Promise<void> {
  const causedBy = ask.cause === undefined ? {} : { causedBy: ask.cause.id };
  try {
    await conductor.append(actor, { ...draft, ...causedBy });
  } catch (error) {
    // The gate rejected the member's event: the turn failed, the run continues.
    const failure = failureOf(ask, error, draft.payload);
    await conductor.append(failure.actor, { ...failure.draft, ...causedBy });
  }
}

/** A running turn: the input of the member. */
class OpenTurn {
  readonly #conductor: TurnKeeper;
  readonly #ask: Ask;
  readonly #time: TurnTime;
  /** Resolves when the turn is allowed to append. */
  readonly #place: Promise<void>;
  #calls = 0;

  constructor(
    conductor: TurnKeeper,
    ask: Ask,
    { time, place }: { readonly time: TurnTime; readonly place: Promise<void> },
  ) {
    this.#conductor = conductor;
    this.#ask = ask;
    this.#time = time;
    this.#place = place;
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
      visible: heardBy(this.#ask, state, view?.visible() ?? []),
      unreflected: view?.unreflected ?? 0,
      scene: state.scene,
      isLast,
      signal: this.#time.signal,
      charge: async (call) => await this.#charge(call),
    };
    const agent = agents.get(member.name);
    if (agent === undefined) {
      throw new UsageError(`Expected an agent for \`${member.name}\`, got none. Pass one in \`agents\`.`);
    }
    return await agent.act(turn);
  }

  async #charge(call: ModelCall): Promise<void> {
    const { state, clock } = this.#conductor.parts;
    const { member, cause, isLast } = this.#ask;
    // Earlier members append first. The turn's time limit excludes this wait.
    this.#time.pause();
    await untilAborted(this.#place, this.#time.signal);
    this.#time.resume();
    // An aborted turn must not spend.
    this.#time.signal.throwIfAborted();
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

function failureOf({ member }: Ask, error: unknown, refused?: unknown): Outcome {
  if (BudgetExceededError.isInstance(error)) return skip(member.name, `budget: ${error.code}`, null, {});
  const code = TruecastError.isInstance(error) ? error.code : 'error';
  // The error of an agent's own provider can quote a key. Masked before it is cut.
  const { mask } = createSecretMask(processSecrets());
  const said = error instanceof Error ? error.message : String(error);
  // A refused event is not in the ledger: its beginning is the evidence.
  const evidence = refused === undefined ? '' : ` The event was ${escaped(refused)}`;
  const message = cut(mask(`${said}${evidence}`), MAX_MESSAGE_CHARS);
  const payload = { agent: member.name, code, message };
  return { actor: CONDUCTOR, draft: { kind: 'agent.failed', payload } };
}

/** Returns JSON, in which NUL and half surrogates are escapes. */
function escaped(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'no JSON';
  }
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

/** Members of one tick do not see each other's events, even after a resume in the middle of it. */
function heardBy(
  { member, cause }: Ask,
  state: RunState,
  visible: readonly LedgerEvent[],
): readonly LedgerEvent[] {
  const isTogether = state.scenario.parallel === true && cause === undefined && member.role !== 'judge';
  if (!isTogether) return visible;
  const names = new Set(state.scenario.cast.map(({ name }) => name));
  return visible.filter(
    ({ turn, causedBy, actor }) => turn !== state.turn || causedBy !== undefined || !names.has(actor),
  );
}

/** Time of a turn: the run's signal and a limit. */
interface TurnTime {
  readonly signal: AbortSignal;
  pause(): void;
  /** Starts the limit again. */
  resume(): void;
  stop(): void;
}

function startTurnTime(limitMs: number, signal: AbortSignal): TurnTime {
  const nothing = (): void => undefined;
  if (limitMs === Infinity) return { signal, pause: nothing, resume: nothing, stop: nothing };
  const controller = new AbortController();
  const message = `The turn took longer than ${limitMs} ms. Raise \`turn_timeout_seconds\`, or use a faster model.`;
  const start = (): NodeJS.Timeout =>
    setTimeout(() => controller.abort(new ModelError(message, { code: 'timeout' })), limitMs);
  let timer = start();
  const pause = (): void => clearTimeout(timer);
  const resume = (): void => {
    pause();
    timer = start();
  };
  return { signal: AbortSignal.any([signal, controller.signal]), pause, resume, stop: pause };
}
