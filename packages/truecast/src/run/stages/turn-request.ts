/** Request for one turn of the agent. */
import type { AnswerFinder } from '../finalizer/answer-finder.ts';

export interface TurnRequest {
  readonly prompt: string;
  readonly resumeSession: string | undefined;
  readonly forkSession: boolean;
  readonly finder: AnswerFinder | undefined;
}
