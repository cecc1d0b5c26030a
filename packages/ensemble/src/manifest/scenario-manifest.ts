/** Scenario manifest in TypeScript. Pure. */
import type { Competition, EnsembleLimits } from '../scenario/ensemble-scenario.ts';

/** A scenario, as its manifest describes it. */
export interface ScenarioManifest {
  readonly name: string;
  readonly title: string;
  /** The goal of the cast. Every agent sees it. */
  readonly goal: string;
  /** Value of `{seed}` if a run provides none. */
  readonly defaultSeed: string;
  /** Agent names in turn order. */
  readonly cast: readonly string[];
  /** The first scene. `{seed}` in it is replaced. */
  readonly genesisText: string;
  /** Limits of a run. Absent ones have the engine's defaults. */
  readonly governor: EnsembleLimits;
  /** @default { kind: 'none' } */
  readonly competition?: Competition;
  /** True if scheduled members answer at the same time. @default false */
  readonly parallel?: boolean;
}

/** A manifest whose absent members have their defaults, as `loadEnsemble()` returns it. */
export interface CompleteScenario extends ScenarioManifest {
  readonly competition: Competition;
}

export const COMPETITION_KINDS = ['versus', 'judged', 'none'] as const;
