/** Request for one turn of the agent. */
import type { AnswerFinder } from '../finalizer/answer-finder.ts';

/** Inputs of one turn. */
export interface TurnRequest {
  readonly prompt: string;
  readonly resumeSession: string | undefined;
  readonly forkSession: boolean;
  readonly finder: AnswerFinder | undefined;
}
