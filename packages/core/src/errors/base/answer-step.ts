/** Steps of a model that works with tools: their outcomes, and why such work ends without an answer. */
import type { Usage } from '../../kit/usage.ts';

/** Contribution of one step to the answer. `worked` is also work of the provider. */
export type StepOutcome = 'worked' | 'text-only' | 'empty' | 'refused' | 'rejected' | 'unknown-tool';

/** Why no answer was produced. */
export type NotProduced =
  | 'refused'
  | 'empty_response'
  | 'truncated'
  | 'text_only'
  | 'validation_exhausted'
  | 'unknown_tool'
  | 'step_budget';

/** One call of a tool in a step. Without its arguments and its result. */
export interface StepCall {
  readonly name: string;
  /** True if the model got an error as the result. */
  readonly isError: boolean;
  readonly durationMs: number;
}

/** One reply of the model, and the calls that it made. */
export interface AnswerStep {
  readonly outcome: StepOutcome | 'accepted';
  /** Calls of tools, in the order of the reply, without submissions of the answer. */
  readonly calls: readonly StepCall[];
  /** Usage of the model in this step. Absent if the service reported none. */
  readonly usage?: Usage;
}
