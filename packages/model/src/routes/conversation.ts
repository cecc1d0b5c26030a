/** State of one `generate()` call across its requests. */
import type { ModelMessage } from 'ai';
import type { Usage } from '@truecast/core/internal/errors/base/usage';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { AnswerRoute } from './answer-route.ts';
import type { GenerateOptions, GenerateSettings } from '../call/generate-options.ts';
import type { ModelReply } from '../call/model-reply.ts';

/** One running `generate()` call. */
export interface Conversation {
  readonly options: GenerateOptions<AnyOutputDefinition>;
  readonly settings: GenerateSettings;
  /** The route of the first reply. It is kept, because the conversation has its format. */
  route: AnswerRoute | undefined;
  /** Messages after the caller's: invalid answers and their feedback. */
  readonly later: ModelMessage[];
  readonly usages: Usage[];
  /** The last text that was read as an answer. */
  received: string | undefined;
  readonly startedAtMs: number;
}

/** A reply, and the route that reads it. */
export interface RoutedReply {
  readonly reply: ModelReply;
  readonly route: AnswerRoute;
  readonly durationMs: number;
}
