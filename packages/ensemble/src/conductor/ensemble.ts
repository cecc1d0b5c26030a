/** Public interface of a run: create, resume, play, inject, stop. */
import { assertKind, assertSignal, readOrRefuse } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import type { EnsembleAgent } from '../scenario/ensemble-agent.ts';
import { runLimits } from '../governor/run-limits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { foldRunIndex, type RunEnd } from '../ledger/run-index.ts';
import { amountOf, entriesOf, memberOf, textOf } from '../ledger/fold.ts';
import { checkScenario } from './check-scenario.ts';
import { Conductor } from './conductor.ts';
import type { EnsembleLimits, EnsembleScenario } from '../scenario/ensemble-scenario.ts';
import { nextStep } from './next-step.ts';
import { RunState } from './run-state.ts';

/** Options of `createEnsemble`. */
export interface EnsembleOptions {
  readonly scenario: EnsembleScenario;
  /** One agent per seat of the cast, matched by name. */
  readonly agents: readonly EnsembleAgent[];
  /** The ledger of the run. Its grants are those of the cast (`memoryLedger({ cast })`). */
  readonly ledger: Ledger;
  /** @default a random UUID */
  readonly runId?: string;
  /** Limits that override the scenario's. @default {} */
  readonly limits?: EnsembleLimits;
  /** Aborts the play at any point. The run stays open and can be resumed. */
  readonly signal?: AbortSignal;
  /**
   * Called with every durable event, in order. The next member is asked after it resolves. An error
   * it throws ends the play.
   */
  readonly onEvent?: (event: LedgerEvent) => void | Promise<void>;
  /** Milliseconds since 1970, for the hourly money limit. @default Date.now */
  readonly clock?: () => number;
}

/** Options of `resumeEnsemble`. */
export interface ResumeOptions extends EnsembleOptions {
  readonly runId: string;
}

export interface EnsembleStatus {
  readonly runId: string;
  /** `waiting`: no member is due until an event is injected. */
  readonly state: 'open' | 'waiting' | 'finished';
  readonly turn: number;
  /** Absent if no call reported its tokens. */
  readonly tokens?: number;
  readonly calls: number;
  /** US dollars of the last 60 minutes. */
  readonly usdThisHour: number;
  /** All limits, defaults included. */
  readonly limits: Required<EnsembleLimits>;
  /** The member that is asked next, if one is due in this turn. */
  readonly next?: string;
  readonly end?: RunEnd;
  /** The latest verdict: its judge, what it said, and the winner and scores that it names. */
  readonly verdict?: {
    readonly by: string;
    readonly text: string;
    readonly winner: string | null;
    readonly scores?: Readonly<Record<string, number>>;
  };
}

/** A run that can be played. */
export interface Ensemble {
  readonly runId: string;
  /**
   * Plays for a number of turns, or until the run ends or waits.
   *
   * @throws the signal's reason on abort, and errors of the ledger or `onEvent`. The run can be
   *   resumed afterwards.
   */
  run(options?: { readonly turns?: number }): Promise<EnsembleStatus>;
  /** Plays until one member was asked, or the run ends or waits. */
  step(): Promise<EnsembleStatus>;
  /** Appends a user's message, also while the run is playing. */
  inject(
    text: string,
    options?: { readonly label?: string; readonly causedBy?: string },
  ): Promise<LedgerEvent>;
  /**
   * Ends the run with `user_stop` after the current member. With `lastWord`, the judges rule first.
   * Await `run()` to see the end.
   */
  stop(options?: { readonly lastWord?: boolean }): void;
  status(): EnsembleStatus;
}

const ENSEMBLE_OPTIONS: OptionNames<EnsembleOptions> = {
  scenario: true,
  agents: true,
  ledger: true,
  runId: true,
  limits: true,
  signal: true,
  onEvent: true,
  clock: true,
};

/**
 * Creates a run. Nothing is appended until it is played or injected into.
 *
 * `docs/ensemble.md` defines the order in which members are asked. A failing member does not end
 * the run; an exhausted budget does, after the judge's last word.
 *
 * @throws UsageError `invalid-option` for a scenario that cannot be played
 * @throws LedgerError `conflict` when the ledger holds the run already
 * @example
 * ```ts
 * const bo = { name: 'bo', role: 'worker', mayEmit: ['agent.spoke'], subscribesTo: [], tickEvery: 0, maxConsecutive: 3, memory: { window: 8 }, model: 'none' } as const;
 * const scenario = { name: 'harbour', goal: 'Find the lantern.', seed: 'fog', genesisText: 'All is {seed}.', cast: [bo] };
 * const agents = [{ name: 'bo', act: async () => ({ type: 'abstained' }) as const }];
 * const ensemble = await createEnsemble({ scenario, agents, ledger: memoryLedger({ cast: scenario.cast }) });
 * const { end } = await ensemble.run({ turns: 5 });
 * console.log(end?.reason, end?.winner);
 * ```
 */
export async function createEnsemble(options: EnsembleOptions): Promise<Ensemble> {
  assertParts(options, '`createEnsemble()`');
  const conductor = makeConductor(options, options.runId ?? crypto.randomUUID());
  await replay(conductor, options);
  const { state, runId } = conductor.parts;
  if (state.length > 0) {
    throw new LedgerError(
      `Expected the run \`${runId}\` to be new, got one with ${state.length} events. Use \`resumeEnsemble()\`, or another \`runId\`.`,
      { code: 'conflict' },
    );
  }
  return makeEnsemble(conductor);
}

/** Rejects parts of another kind before the scenario is judged. */
function assertParts(options: EnsembleOptions, of: string): void {
  assertKnownOptions(options, { of, names: ENSEMBLE_OPTIONS });
  const { scenario, agents, ledger, signal, limits = {}, onEvent, clock } = options;
  assertKind(scenario, 'an object', 'scenario', 'Pass the result of `toEnsembleScenario()`, or write one.');
  assertKind(agents, 'an array', 'agents', 'Pass the agents of the cast, such as `manifestAgent()`.');
  assertKind(ledger, 'an object', 'ledger', 'Pass `memoryLedger()` or `await openLedger()`.');
  assertKind(limits, 'an object', 'limits', 'Pass `{ turns: 20 }`.');
  for (const [name, given] of Object.entries({ onEvent, clock })) {
    if (given !== undefined) assertKind(given, 'a function', name, 'Pass a function.');
  }
  assertSignal(signal);
  const what = ['scenario', 'a scenario, with `agents` that are its cast'] as const;
  readOrRefuse(scenario, what, () => checkScenario(scenario, agents));
}

/**
 * Resumes a run from its ledger alone: turn, queue, budget and counters are folds over its events.
 *
 * A member whose turn was interrupted is asked again. The calls it had made stay charged.
 *
 * @throws LedgerError `unknown-run`, or `diverged` when the run was begun with another scenario
 * @example
 * ```ts
 * const takeUp = async (parts: Parameters<typeof createEnsemble>[0]) => await resumeEnsemble({ ...parts, runId: 'run-1' });
 * ```
 */
export async function resumeEnsemble(options: ResumeOptions): Promise<Ensemble> {
  assertParts(options, '`resumeEnsemble()`');
  const conductor = makeConductor(options, options.runId);
  await replay(conductor, options);
  const { state, runId } = conductor.parts;
  if (state.length === 0) {
    throw new LedgerError(
      `Expected the ledger to contain the run \`${runId}\`, got none. \`ledger.runs()\` lists its runs.`,
      { code: 'unknown-run' },
    );
  }
  assertSameScenario(state);
  return makeEnsemble(conductor);
}

function makeConductor(options: EnsembleOptions, runId: string): Conductor {
  const { scenario, agents, ledger, limits, signal, onEvent, clock } = options;
  checkScenario(scenario, agents);
  return new Conductor({
    runId,
    ledger,
    state: new RunState(scenario, runLimits(scenario.limits, limits)),
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    clock: clock ?? Date.now,
    signal: signal ?? new AbortController().signal,
    onEvent: onEvent ?? (() => undefined),
  });
}

async function replay({ parts }: Conductor, { ledger }: EnsembleOptions): Promise<void> {
  for await (const event of ledger.read(parts.runId)) parts.state.apply(event);
}

function assertSameScenario({ started, scenario, stranger }: RunState): void {
  const { scenario: name, seed } = started?.payload ?? {};
  const difference =
    started === undefined || name !== scenario.name
      ? 'another scenario'
      : seed !== scenario.seed
        ? 'another seed'
        : stranger === undefined
          ? undefined
          : `events of \`${stranger}\`, who is not in the cast`;
  if (difference === undefined) return;
  throw new LedgerError(
    `Expected the run to be one of \`${scenario.name}\` with its seed and cast, got ${difference}. Resume it with its original scenario, seed and cast.`,
    { code: 'diverged' },
  );
}

function makeEnsemble(conductor: Conductor): Ensemble {
  const { state, runId, clock } = conductor.parts;
  const status = (): EnsembleStatus => statusOf(state, runId, clock());
  return {
    runId,
    status,
    async run({ turns = Infinity } = {}) {
      const lastTurn = state.turn + turns;
      await conductor.play((step) => step.type === 'begin-turn' && step.turn > lastTurn);
      return status();
    },
    async step() {
      let asked = 0;
      await conductor.play(
        (step) => {
          if (step.type === 'ask') asked += 1;
          return asked > 1 || (asked === 1 && step.type !== 'ask');
        },
        { isStepwise: true },
      );
      return status();
    },
    inject: async (text, options = {}) => await conductor.inject(text, options),
    stop: ({ lastWord = false } = {}) => conductor.stop(lastWord),
  };
}

function verdictOf({ verdict }: RunState): Pick<EnsembleStatus, 'verdict'> {
  if (verdict === undefined) return {};
  const { actor: by, payload } = verdict;
  const given = memberOf(payload, 'scores');
  const scores = Object.fromEntries(entriesOf(given).map(([name]) => [name, amountOf(given, name)]));
  const winner = textOf(payload, 'winner') ?? null;
  return {
    verdict: { by, text: textOf(payload, 'text') ?? '', winner, ...(given !== undefined && { scores }) },
  };
}

function statusOf(state: RunState, runId: string, nowMs: number): EnsembleStatus {
  const { turn, limits, spend } = state;
  const { tokens, calls } = spend;
  const counted = tokens === undefined ? {} : { tokens };
  const usdThisHour = spend.usdWithinHour(nowMs);
  const shared = { runId, turn, ...counted, calls, usdThisHour, limits, ...verdictOf(state) };
  if (state.finished === undefined) {
    // A run without its first scene has steps to perform, even if it waits for an event.
    const step = state.hasGenesis ? nextStep(state, nowMs) : undefined;
    const next = step?.type === 'ask' ? { next: step.member.name } : {};
    return { ...shared, ...next, state: step?.type === 'wait' ? 'waiting' : 'open' };
  }
  const index = foldRunIndex();
  if (state.started !== undefined) index.apply(state.started);
  index.apply(state.finished);
  const end = index.read()[0]?.end;
  return { ...shared, state: 'finished', ...(end !== undefined && { end }) };
}
