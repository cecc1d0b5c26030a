/**
 * Scenario model of the engine: cast, subscriptions and limits. Plain data, independent of any file
 * format.
 */

/** A scenario to play. */
export interface EnsembleScenario {
  readonly name: string;
  /** The common goal of the cast. */
  readonly goal: string;
  /** The starting text of this run. Replaces `{seed}` in `genesisText`. */
  readonly seed: string;
  /** The first scene. */
  readonly genesisText: string;
  /** In turn order. */
  readonly cast: readonly CastMember[];
  /** @default { kind: 'none' } */
  readonly competition?: Competition;
  /** @default {} */
  readonly limits?: EnsembleLimits;
  /**
   * Scheduled members of a turn answer concurrently, and do not see each other's answers of that
   * turn. Their events are appended in cast order. Judges answer after them. @default false
   */
  readonly parallel?: boolean;
}

/** A seat of the cast: its occupant, permissions and schedule. */
export interface CastMember {
  readonly name: string;
  /** Only `judge` affects the engine: its verdicts end a run, and it has the last word. */
  readonly role: CastRole;
  /** The kinds that it is allowed to append. */
  readonly mayEmit: readonly string[];
  /** Events that wake it. It can also see them. */
  readonly subscribesTo: readonly Subscription[];
  /** `null`: only when woken. 0: every turn. N: every Nth turn. */
  readonly tickEvery: number | null;
  /**
   * Maximum consecutive events of this member, with no other member's or visitor's event between.
   */
  readonly maxConsecutive: number;
  readonly memory: CastMemory;
  /** Recorded in `run.started`. Each event names its own author. */
  readonly model: string;
  /** Payload fields of the events that other agents see. @default [] */
  readonly publicFields?: readonly string[];
}

export type CastRole = 'worker' | 'judge' | 'observer' | 'reflector';

/** A kind, or a kind with these payload values (strict equality). */
export type Subscription =
  | string
  | { readonly kind: string; readonly when: Readonly<Record<string, string | number | boolean | null>> };

/** Visibility settings of a member. */
export interface CastMemory {
  /** Maximum number of events in `AgentTurn.visible`, the newest ones. */
  readonly window: number;
}

/** Competition that a verdict decides. */
export type Competition =
  | { readonly kind: 'none' }
  /** The judge names a player. */
  | { readonly kind: 'judged'; readonly symmetricSeats?: readonly string[] }
  | {
      readonly kind: 'versus';
      /** Members by the label of their team. Without teams, each symmetric seat is a side. */
      readonly teams?: Readonly<Record<string, readonly string[]>>;
      /**
       * The team that the judge has to find. With one, the judge accuses a player, otherwise it names
       * a team. @default the smallest team, if there is only one of that size
       */
      readonly hidden?: string;
      /** Members that take turns in going first. */
      readonly symmetricSeats?: readonly string[];
    };

/**
 * Limits of a run. Calls per turn and the cascade postpone the rest to the next turn; the others
 * end the run.
 */
export interface EnsembleLimits {
  /** @default 100 */
  readonly turns?: number;
  /** Model calls per turn. @default 32 */
  readonly callsPerTurn?: number;
  /** Model calls per run, failed ones included. @default 500 */
  readonly calls?: number;
  /** Input and output tokens of all calls. @default Infinity */
  readonly tokens?: number;
  /** US dollars within any 60 minutes. @default Infinity */
  readonly usdPerHour?: number;
  /** Consecutive failures of calls or agents that end the run. @default 10 */
  readonly consecutiveFailures?: number;
  /** Maximum woken agents per turn. @default 16 */
  readonly cascade?: number;
  /**
   * Milliseconds of one agent's turn. A longer turn ends as `agent.failed` with the code `timeout`.
   * @default Infinity
   */
  readonly turnTimeoutMs?: number;
}
