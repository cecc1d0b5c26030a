/**
 * Climb: the way of one answer down the ladder, from a step that the service refused to the next one.
 * The one rule for `generate()`, ensembles, chats and `/v1`.
 */
import type { GenerateModel } from '../call/generate-options.ts';
import { engineOf, recordRefusal } from './engine.ts';
import { familyOf, type Droppable, type LadderStep } from './ladder.ts';
import { readRefusal } from './read-refusal.ts';

/** Refusals of one answer. */
export interface Climb {
  /** Steps that the service refused. */
  readonly refused: Droppable[];
  /** The step of a refusal without a known reason. The next reply shows whether the schema was it. */
  doubted: LadderStep | undefined;
  /** The last refusal. */
  failure: unknown;
}

export interface AskedStep {
  readonly model: GenerateModel;
  readonly step: LadderStep;
  /** Returns the text of the schema, if it is needed. */
  readonly schema: () => string;
  /** False if a refusal can be about another part of the request. @default true */
  readonly isAlone?: boolean;
  /** True if no other step is left. @default false */
  readonly isLast?: boolean;
}

/** Starts at the best step that was not refused. */
export function startClimb(refused: readonly Droppable[] = []): Climb {
  return { refused: [...refused], doubted: undefined, failure: undefined };
}

/**
 * Records a refusal. Returns true if another request can succeed: by another step, or by the same one
 * without the lengths that the service refused.
 */
export function descend(climb: Climb, error: unknown, asked: AskedStep): boolean {
  const { model, step, schema, isAlone = true, isLast = false } = asked;
  const engine = engineOf(model);
  const refusal = readRefusal(error, step);
  const isRepeated = refusal?.type === 'lengths' && !engine.hasNoLengths;
  if (refusal === undefined || (isLast && !isRepeated)) return false;
  if (refusal.type === 'doubt' && climb.doubted !== undefined) return false;
  if (refusal.type === 'doubt') climb.doubted = step;
  else if (refusal.type !== 'step' || isAlone) recordRefusal(engine, { step, schema: schema() }, refusal);
  climb.failure = error;
  if (!isRepeated) climb.refused.push(step, ...(refusal.type === 'step' ? refusal.drops : familyOf(step)));
  return true;
}

/** Records that the service replied: what a doubted refusal was about was the schema. */
export function arrive(climb: Climb, { model, schema }: Pick<AskedStep, 'model' | 'schema'>): void {
  const { doubted: step } = climb;
  if (step !== undefined) recordRefusal(engineOf(model), { step, schema: schema() }, { type: 'doubt' });
  climb.doubted = undefined;
}
