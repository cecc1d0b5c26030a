/** Owns what an agent knows of the scenario that it plays in. */
import type { CastRole, Competition } from '../conductor/ensemble-scenario.ts';

/** The part of a scenario that its agents are made with; an `EnsembleScenario` is one. */
export interface AgentScenario {
  /** Told to every agent. @default none */
  readonly goal?: string;
  /** Who takes part. @default nobody but the agent */
  readonly cast?: readonly { readonly name: string; readonly role: CastRole }[];
  /** @default { kind: 'none' } */
  readonly competition?: Competition;
}

/** Whom a verdict can name: those who play. */
export function playersOf({ cast = [] }: AgentScenario): readonly string[] {
  return cast.filter(({ role }) => role !== 'judge' && role !== 'observer').map(({ name }) => name);
}
