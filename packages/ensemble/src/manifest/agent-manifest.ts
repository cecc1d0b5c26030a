/** Agent manifest in TypeScript. Pure. */
import type { CastRole, Subscription } from '../scenario/ensemble-scenario.ts';

/** The model size that an agent needs. `models.yaml` maps it to a model. */
export type ModelProfile = (typeof MODEL_PROFILES)[number];

/** An event agent, as its manifest describes it. */
export interface AgentManifest {
  /** The actor of the events. */
  readonly name: string;
  /** @default 'worker' */
  readonly role?: CastRole;
  readonly persona: string;
  /** Name of code that replaces or wraps the model. */
  readonly handler?: string;
  /** Events that wake it. @default [] */
  readonly subscribesTo?: readonly Subscription[];
  /** The grant. An answer of another kind is converted to the first one. */
  readonly mayEmit: readonly string[];
  /** @default {} */
  readonly schedule?: AgentSchedule;
  /** @default 'fast' */
  readonly modelProfile?: ModelProfile;
  /** A name in `endpoints` of `models.yaml`. Overrides the profile. */
  readonly modelEndpoint?: string;
  /** @default {} */
  readonly memory?: AgentMemory;
  /** Extra fields of the answers beside `kind` and `text`. @default [] */
  readonly outputExtraFields?: readonly string[];
  /** Extra fields that other agents see beside the text. The others are private. @default [] */
  readonly publicFields?: readonly string[];
  /** Maximum length of the text and of each extra string, in characters. @default 1000 */
  readonly maxTextChars?: number;
  /**
   * Asks again, once, if an answer repeats one of the last 12 visible lines word for word, then
   * skips the turn. Not for judges. @default true
   */
  readonly repeatGuard?: boolean;
}

/** When an agent acts without a waking event, and how often in a row. */
export interface AgentSchedule {
  /** Interval in turns. 0 is every turn. @default only when woken */
  readonly tickEvery?: number;
  /** @default 3 */
  readonly maxConsecutive?: number;
}

export interface AgentMemory {
  /** Number of latest events. @default 8 */
  readonly window?: number;
  /** Recalls the most salient events instead of the latest. @default false */
  readonly useSalience?: boolean;
  /** @default 8 */
  readonly salienceTopK?: number;
  /** Number of visible events after which it reflects. @default never */
  readonly reflectionThreshold?: number;
}

/** Members that have a value in a complete manifest. */
type Completed = 'memory' | 'modelProfile' | 'outputExtraFields' | 'role' | 'schedule' | 'subscribesTo';

/** A manifest whose absent members have their defaults, as `loadEnsemble()` returns it. */
export interface CompleteManifest
  extends Omit<AgentManifest, Completed>, Required<Pick<AgentManifest, Completed>> {
  readonly schedule: AgentSchedule & Required<Pick<AgentSchedule, 'maxConsecutive'>>;
  readonly memory: AgentMemory & Required<Pick<AgentMemory, 'salienceTopK' | 'useSalience' | 'window'>>;
}

/** Default values of a manifest, the same in YAML and in TypeScript. */
export const MANIFEST_DEFAULTS = {
  role: 'worker',
  modelProfile: 'fast',
  maxConsecutive: 3,
  window: 8,
  useSalience: false,
  salienceTopK: 8,
} as const;

/** Returns a manifest with defaults for its absent members. */
export function completeManifest({ schedule, memory, ...manifest }: AgentManifest): CompleteManifest {
  const defaults = MANIFEST_DEFAULTS;
  return {
    ...manifest,
    role: manifest.role ?? defaults.role,
    subscribesTo: manifest.subscribesTo ?? [],
    modelProfile: manifest.modelProfile ?? defaults.modelProfile,
    outputExtraFields: manifest.outputExtraFields ?? [],
    schedule: { ...schedule, maxConsecutive: schedule?.maxConsecutive ?? defaults.maxConsecutive },
    memory: {
      ...memory,
      window: memory?.window ?? defaults.window,
      useSalience: memory?.useSalience ?? defaults.useSalience,
      salienceTopK: memory?.salienceTopK ?? defaults.salienceTopK,
    },
  };
}

export const AGENT_ROLES = ['worker', 'judge', 'observer', 'reflector'] as const;
/** Profile names, from the smallest model to the largest. */
export const MODEL_PROFILES = ['tiny', 'fast', 'balanced', 'strong'] as const;
