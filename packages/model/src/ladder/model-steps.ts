/** Steps that a model can be asked by: declared by hosted services, learned of all others. */
import { COMPATIBLE_PROVIDER } from '../call/model-reply.ts';
import type { GenerateModel } from '../call/generate-options.ts';
import { engineOf, standingFor } from './engine.ts';
import {
  drop,
  LADDER,
  learn,
  shownBy,
  type LadderStanding,
  type LadderStep,
  type ShownReply,
} from './ladder.ts';

/**
 * Services known to decode under a schema and to require tools. If a reply deviates, the model
 * caused it.
 */
const HOSTED = /^(?:openai\.|anthropic|google)/u;

/** Returns true for a hosted service, whose abilities are declared. */
export function isHosted({ provider }: GenerateModel): boolean {
  return HOSTED.test(provider);
}

/**
 * Returns the steps of a model for one schema, best first. Never empty.
 *
 * @param schema - returns the text of the schema, if it is needed
 */
export function openStepsOf(model: GenerateModel, schema: () => string): readonly LadderStep[] {
  const { dropped } = standingOfModel(model, schema);
  return LADDER.filter((step) => !dropped.has(step));
}

/** Returns the knowledge about a model for one schema. Steps that it lacks are dropped. */
export function standingOfModel(model: GenerateModel, schema: () => string): LadderStanding {
  return drop(standingFor(engineOf(model), schema), lackedSteps(model));
}

/** Returns the steps that a model can be asked by as far as its object and its server say. */
export function declaredSteps(model: GenerateModel): readonly LadderStep[] {
  const lacked = lackedSteps(model);
  return LADDER.filter((step) => !lacked.includes(step));
}

function lackedSteps(model: GenerateModel): readonly LadderStep[] {
  const hasNoSchemaMode = 'supportsStructuredOutputs' in model && model.supportsStructuredOutputs === false;
  // A provider that declares no schema mode would silently drop the schema.
  const lacked: LadderStep[] = hasNoSchemaMode ? ['schema', 'object'] : [];
  if (model.provider !== COMPATIBLE_PROVIDER) lacked.push('object');
  // llama.cpp takes a tool by its name as no force, or refuses it.
  if (isHosted(model) || engineOf(model).identity === 'llama.cpp') lacked.push('named');
  if (model.provider.startsWith('anthropic')) lacked.push('json');
  return lacked;
}

/** Learns from a reply. A hosted service obeys, whatever its model says. */
export function learnFrom(model: GenerateModel, step: LadderStep, reply: ShownReply): void {
  const engine = engineOf(model);
  const shown = shownBy(step, reply);
  if (shown === 'ignored' && isHosted(model)) return;
  engine.standing = learn(engine.standing, step, shown);
}
