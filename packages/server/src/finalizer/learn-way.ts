/** What replies and refusals of a model's service show about the ways of a turn to its answer. */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import type { ModelCapabilities, Way } from '@truecast/model/internal/ladder/choose-way';
import { arrive, descend, type Climb } from '@truecast/model/internal/ladder/climb';
import type { LadderStep, LadderStanding } from '@truecast/model/internal/ladder/ladder';
import { learnFrom, standingOfModel } from '@truecast/model/internal/ladder/model-steps';
import { isKnownRefusal } from '@truecast/model/internal/ladder/read-refusal';
import type { RowFinish, RowPart } from '../contract/rows.ts';
import { callsOf } from '../contract/turn-rows.ts';
import type { SettledStep } from './settle-step.ts';

/** A model and its task. */
export interface AskedForm {
  readonly model: { readonly model: GenerateModel; readonly capabilities: ModelCapabilities };
  readonly schema: JsonSchema;
}

/** Returns the known facts about a model's engine for one schema. */
export function standingOf({ model, schema }: AskedForm): LadderStanding {
  return standingOfModel(model.model, () => keyOf(schema));
}

/** `generate()` remembers the same schema under the same key. */
function keyOf(schema: JsonSchema): string {
  return JSON.stringify(schema);
}

/** Returns true if a failed call is about the form of the request, and not about the service's state. */
export function isOfForm(kind: string, error: unknown, way: Way): boolean {
  return kind === 'config' || (kind === 'server' && isKnownRefusal(error, stepOf(way)));
}

/** A service refuses tools without force as it refuses forced ones. */
function stepOf({ step }: Way): LadderStep {
  return step === 'auto' ? 'required' : step;
}

/** Records a failed call. Returns true if another way can succeed. */
export function noteRefusal(error: unknown, way: Way, { model, schema }: AskedForm, climb: Climb): boolean {
  // Hosted services refuse a request also for other parts of the turn, such as its tools.
  const isAlone = model.capabilities.isLearned === true;
  const asked = { model: model.model, step: stepOf(way), schema: () => keyOf(schema), isAlone };
  if (!descend(climb, error, asked)) return false;
  if (way.step === 'auto') climb.refused.push('auto');
  return true;
}

/** Learns from a reply. */
export function noteReply(
  { parts, finishReason }: { readonly parts: readonly RowPart[]; readonly finishReason: RowFinish },
  settled: SettledStep,
  {
    way,
    climb,
    model: { model, capabilities },
    schema,
  }: AskedForm & { readonly way: Way; readonly climb: Climb },
): void {
  arrive(climb, { model, schema: () => keyOf(schema) });
  if (way.step === 'auto' || capabilities.isLearned !== true) return;
  learnFrom(model, way.step, {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    hasCall: callsOf(parts).length > 0,
    isAccepted: settled.results.some(({ tool_name, is_error }) => tool_name === FINALIZER_NAME && !is_error),
    isWhole: finishReason === 'stop' || finishReason === 'tool_calls',
  });
}
