/** Scenario data that an agent needs. */
import { isPlayer } from '../ledger/run-index.ts';
import type { CastRole, Competition } from './ensemble-scenario.ts';

/** The part of a scenario that agents are created with. An `EnsembleScenario` satisfies it. */
export interface AgentScenario {
  /** Shown to every agent. @default none */
  readonly goal?: string;
  /** The participants. @default the agent alone */
  readonly cast?: readonly {
    readonly name: string;
    readonly role: CastRole;
    /** @default [] */
    readonly publicFields?: readonly string[];
  }[];
  /** @default { kind: 'none' } */
  readonly competition?: Competition;
}

/** The names that a verdict can declare as winners: the players. */
export function playersOf({ cast = [] }: AgentScenario): readonly string[] {
  return cast.filter(isPlayer).map(({ name }) => name);
}
