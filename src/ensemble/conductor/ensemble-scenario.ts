/** Owns what the engine plays: a scenario, its cast, what wakes whom, and the bounds of a run. Plain data, whatever file it came from. */

/** What an ensemble plays. */
export interface EnsembleScenario {
  readonly name: string;
  /** What all of the cast work towards. */
  readonly goal: string;
  /** What this run begins from; it takes the place of `{seed}` in `genesisText`. */
  readonly seed: string;
  /** The first scene. */
  readonly genesisText: string;
  /** In turn order. */
  readonly cast: readonly CastMember[];
  /** @default { kind: 'none' } */
  readonly competition?: Competition;
  /** @default {} */
  readonly limits?: EnsembleLimits;
}

/** A seat of the cast: who sits there, what it may say, and when it is asked. */
export interface CastMember {
  readonly name: string;
  /** Only `judge` changes what the engine does: its verdicts end a run, and it has the last word. */
  readonly role: CastRole;
  /** The kinds that it may append: its grant. */
  readonly mayEmit: readonly string[];
  /** What wakes it; it can also see what it subscribes to. */
  readonly subscribesTo: readonly Subscription[];
  /** `null`: only when woken; 0: every turn; N: when the turn's number is a multiple of N. */
  readonly tickEvery: number | null;
  /** How many events it may append in a row, with no other member's or visitor's event between. */
  readonly maxConsecutive: number;
  readonly memory: CastMemory;
  /** Told in `run.started`; who said what is told by each event. */
  readonly model: string;
}

/** What a member does in the play. */
export type CastRole = 'worker' | 'judge' | 'observer' | 'reflector';

/** A kind, or a kind whose payload has these values (compared strictly). */
export type Subscription =
  | string
  | { readonly kind: string; readonly when: Readonly<Record<string, string | number | boolean | null>> };

/** What a turn lets a member see. */
export interface CastMemory {
  /** How many events `AgentTurn.visible` holds at most, the newest ones. */
  readonly window: number;
}

/** What a verdict decides. `teams` are labels with the names of their members. */
export type Competition =
  | { readonly kind: 'none' }
  | { readonly kind: 'judged' }
  | { readonly kind: 'versus'; readonly teams: Readonly<Record<string, readonly string[]>> };

/** The bounds of a run. Calls per turn and the cascade put the rest off to the next turn; the others end the run. */
export interface EnsembleLimits {
  /** @default 100 */
  readonly turns?: number;
  /** Calls of models in one turn. @default 32 */
  readonly callsPerTurn?: number;
  /** Calls of models in the run, failed ones too. @default 500 */
  readonly calls?: number;
  /** Tokens of all calls, read and written. @default Infinity */
  readonly tokens?: number;
  /** US dollars spent within any sixty minutes. @default Infinity */
  readonly usdPerHour?: number;
  /** Failures in a row, of calls or of agents, after which the run ends. @default 10 */
  readonly consecutiveFailures?: number;
  /** How many woken agents one turn asks. @default 16 */
  readonly cascade?: number;
}
