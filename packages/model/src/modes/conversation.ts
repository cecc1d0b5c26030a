/** State of one `generate()` call across its requests. */
import type { ModelMessage } from 'ai';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { makeMode, type ModelMode } from './answer-mode.ts';
import type { FutileTest, GenerateOptions, GenerateSettings } from '../call/generate-options.ts';
import type { GenerateMessage } from '../messages/generate-messages.ts';
import type { CandidateReader } from '@truecast/core/internal/output/candidates/lenient-candidates';
import { outputJsonSchema } from '@truecast/core/internal/output/definition/output-json-schema';
import type { Climb } from '../ladder/climb.ts';
import { MODE_OF, type LadderStep } from '../ladder/ladder.ts';
import { declaredSteps, openStepsOf } from '../ladder/model-steps.ts';
import type { Trace } from '../telemetry/tracing.ts';
import type { ModelReply } from '../call/model-reply.ts';
import type { WatchedElements } from './watched-elements.ts';

/** One running `generate()` call. */
export interface Conversation {
  readonly options: GenerateOptions<AnyOutputDefinition>;
  readonly settings: GenerateSettings;
  /** Undefined if answers are strict. */
  readonly lenient: CandidateReader | undefined;
  /** Returns true if another attempt would not improve the reply. Undefined if each one could. */
  readonly isFutile: FutileTest | undefined;
  /** Undefined if no loop takes the elements of the answer. */
  readonly elements: WatchedElements | undefined;
  readonly climb: Climb;
  attempt: number;
  /** The mode of the last reply. It is kept until the service is found to ignore it. */
  mode: ModelMode | undefined;
  /** Messages after the caller's: an invalid answer and its feedback. */
  readonly later: ModelMessage[];
  /** How often the question was asked anew. Added to the seed. */
  renewals: number;
  /** True if a reply ignored the step that asked for it, and so its schema. It is described in words too. */
  isTold: boolean;
  readonly usages: Usage[];
  /** The last text that was read as an answer. */
  received: string | undefined;
  readonly startedAtMs: number;
  /** Creates spans of the model calls, below the answer's span. */
  readonly trace: Trace;
}

export interface ModeReply {
  readonly reply: ModelReply;
  readonly mode: ModelMode;
  readonly durationMs: number;
}

/**
 * Opens the mode of a step.
 *
 * @throws as `makeMode`
 */
export function openModelMode(
  { options: { model, output }, settings, lenient, elements }: Conversation,
  step: LadderStep,
): ModelMode {
  const said = settings.messages.flatMap(textsOf);
  return makeMode(step, { output, model, lenient, said, known: elements?.feed });
}

function textsOf({ content }: GenerateMessage): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((part) => {
    const text: unknown = Reflect.get(part, 'text');
    return typeof text === 'string' ? [text] : [];
  });
}

/** Returns the steps that can be asked now, best first, the one of the last reply before all. */
export function openSteps({ options, settings, mode, climb }: Conversation): readonly LadderStep[] {
  const { model, output } = options;
  // Every service can be asked for an answer between tags.
  if (output.tag !== undefined) return ['text'];
  const isAsked = (step: LadderStep): boolean => settings.mode === 'auto' || MODE_OF[step] === settings.mode;
  const open = openStepsOf(model, () => schemaText(output)).filter(isAsked);
  // A mode that the caller chose is asked for in any case.
  const steps = (open.length > 0 ? open : declaredSteps(model).filter(isAsked)).filter(
    (step) => !climb.refused.includes(step),
  );
  return steps.toSorted((one, other) => Number(other === mode?.step) - Number(one === mode?.step));
}

/** The text of the schema: the key of what services refused. */
export function schemaText(output: AnyOutputDefinition): string {
  return JSON.stringify(outputJsonSchema(output) ?? true);
}

/**
 * Returns the mode of the next request: this one, or a lower one if the service was found to ignore
 * it. Earlier messages stay in the conversation.
 */
export function nextMode(conversation: Conversation, mode: ModelMode): ModelMode {
  const [best] = openSteps(conversation);
  return best === undefined || best === mode.step ? mode : openModelMode(conversation, best);
}
