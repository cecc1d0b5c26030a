/** Owns the manifest of a scenario: what a run is played from, in TypeScript. Pure. */
import type { Competition, EnsembleLimits } from '../conductor/ensemble-scenario.ts';

/** A scenario as its manifest describes it. */
export interface ScenarioManifest {
  readonly name: string;
  readonly title: string;
  /** What the cast plays for; every agent is told. */
  readonly goal: string;
  /** What stands for `{seed}` when a run brings none. */
  readonly defaultSeed: string;
  /** Names of agents; their order is that of their turns. */
  readonly cast: readonly string[];
  /** The first scene; `{seed}` in it is replaced. */
  readonly genesisText: string;
  /** Bounds on a run; what is left out has the engine's default. */
  readonly governor: EnsembleLimits;
  /** @default { kind: 'none' } */
  readonly competition: Competition;
}

/** The sorts of competition. */
export const COMPETITION_KINDS = ['versus', 'judged', 'none'] as const;
