/**
 * Engines: what was learned about the service of a model. Kept by address, model and what the server
 * says it is, or by the model object of a provider that hides its address. It ends with the process.
 */
import type { GenerateModel } from '../call/generate-options.ts';
import {
  drop,
  familyOf,
  UNKNOWN_STANDING,
  type Droppable,
  type LadderStep,
  type LadderStanding,
} from './ladder.ts';
import type { StepRefusal } from './read-refusal.ts';

/** The service of a model. */
export interface Engine {
  standing: LadderStanding;
  /** Keys of schemas, each with a step whose ability refused it. */
  readonly refusedSchemas: Set<string>;
  hasNoLengths: boolean;
  /** Name that the server reports for itself. */
  identity: string | undefined;
}

/** Addresses in memory. A process asks a few. */
const MAX_PLACES = 200;
const MAX_SCHEMAS = 1_000;

const places = new WeakMap<GenerateModel, string>();
const enginesByPlace = new Map<string, Engine>();
let enginesByModel = new WeakMap<GenerateModel, Engine>();

/** Records where a model is, so that each object for it shares what was learned. */
export function rememberPlace(
  model: GenerateModel,
  { baseURL, headers, body }: { readonly baseURL: string; readonly headers?: object; readonly body?: object },
): void {
  // A gateway can choose the server by a header.
  places.set(
    model,
    JSON.stringify([new URL(baseURL).href.replace(/\/+$/u, ''), model.modelId, headers, body]),
  );
}

export function engineOf(model: GenerateModel): Engine {
  const place = places.get(model);
  const known = place === undefined ? enginesByModel.get(model) : enginesByPlace.get(place);
  if (known !== undefined) return known;
  const engine = unknownEngine();
  if (place === undefined) enginesByModel.set(model, engine);
  else {
    const [oldest] = enginesByPlace.keys();
    if (enginesByPlace.size >= MAX_PLACES && oldest !== undefined) enginesByPlace.delete(oldest);
    enginesByPlace.set(place, engine);
  }
  return engine;
}

function unknownEngine(): Engine {
  return {
    standing: UNKNOWN_STANDING,
    refusedSchemas: new Set(),
    hasNoLengths: false,
    identity: undefined,
  };
}

/** Forgets everything: in the next test, another server can get an address. @internal */
export function forgetEngines(): void {
  enginesByPlace.clear();
  enginesByModel = new WeakMap();
}

/** Forgets what was learned if the server says that it is another one. */
export function recognize(model: GenerateModel, identity: string | null): void {
  const engine = engineOf(model);
  if (identity === null || identity === engine.identity) return;
  if (engine.identity !== undefined) Object.assign(engine, unknownEngine(), { refusedSchemas: new Set() });
  engine.identity = identity;
}

/** What is known of an engine before its first reply: steps that it holds, and others. */
export interface KnownSteps {
  readonly proven: readonly LadderStep[];
  readonly dropped: readonly LadderStep[];
}

/** Starts the ladder of an engine with its profile. Observations of later replies take precedence. */
export function learnProfile(model: GenerateModel, { proven, dropped }: KnownSteps): void {
  const engine = engineOf(model);
  if (engine.standing !== UNKNOWN_STANDING) return;
  engine.standing = drop({ proven: new Set(proven), dropped: new Set() }, dropped);
}

/** Records a refusal. A doubt is recorded once the next step was accepted. */
export function recordRefusal(
  engine: Engine,
  { step, schema }: { readonly step: LadderStep; readonly schema: string },
  refusal: StepRefusal,
): void {
  if (refusal.type === 'step') engine.standing = drop(engine.standing, refusal.drops);
  else if (refusal.type === 'lengths' && !engine.hasNoLengths) engine.hasNoLengths = true;
  else if (engine.refusedSchemas.size < MAX_SCHEMAS) {
    engine.refusedSchemas.add(`${familyOf(step)[0]} ${schema}`);
  }
}

/** Returns the standing for one schema: the abilities that refused it are dropped. */
export function standingFor({ standing, refusedSchemas }: Engine, schema: () => string): LadderStanding {
  if (refusedSchemas.size === 0) return standing;
  const key = schema();
  const refused: readonly Droppable[] = (['schema', 'named', 'json'] as const).flatMap((step) =>
    refusedSchemas.has(`${step} ${key}`) ? familyOf(step) : [],
  );
  return refused.length === 0 ? standing : drop(standing, refused);
}
