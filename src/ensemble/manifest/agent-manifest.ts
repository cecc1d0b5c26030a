/** Owns the manifest of an agent: what an agent is, in TypeScript. Pure. */
import type { CastRole, Subscription } from '../conductor/ensemble-scenario.ts';

/** How large a model an agent needs; `models.yaml` says which that is. */
export type ModelProfile = (typeof MODEL_PROFILES)[number];

/** An event agent as its manifest describes it. */
export interface AgentManifest {
  /** Stands as the actor of its events. */
  readonly name: string;
  /** @default 'worker' */
  readonly role: CastRole;
  readonly persona: string;
  /** Code that acts in place of, or around, the model. */
  readonly handler?: string;
  /** What wakes it. @default [] */
  readonly subscribesTo: readonly Subscription[];
  /** The grant; the first is what an answer of another kind becomes. */
  readonly mayEmit: readonly string[];
  readonly schedule: AgentSchedule;
  /** @default 'fast' */
  readonly modelProfile: ModelProfile;
  /** One of the `endpoints` of `models.yaml`; goes before the profile. */
  readonly modelEndpoint?: string;
  readonly memory: AgentMemory;
  /** @default [] */
  readonly tools: readonly string[];
  /** Fields of its answers beside `kind` and `text`. @default [] */
  readonly outputExtraFields: readonly string[];
}

/** When an agent acts unasked, and how often in a row. */
export interface AgentSchedule {
  /** Every so many turns; 0 is each turn. @default only when woken */
  readonly tickEvery?: number;
  /** @default 3 */
  readonly maxConsecutive: number;
}

/** What an agent remembers. */
export interface AgentMemory {
  /** Events, the latest ones. @default 8 */
  readonly window: number;
  /** Recalls what matters most in place of what is latest. @default false */
  readonly useSalience: boolean;
  /** @default 8 */
  readonly salienceTopK: number;
  /** Visible events after which it reflects. @default never */
  readonly reflectionThreshold?: number;
}

/** The roles an agent may have. */
export const AGENT_ROLES = ['worker', 'judge', 'observer', 'reflector'] as const;
/** The names of the profiles, from the smallest model to the largest. */
export const MODEL_PROFILES = ['tiny', 'fast', 'balanced', 'strong'] as const;
