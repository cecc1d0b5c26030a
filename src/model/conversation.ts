/** Owns what one call of `generate()` knows of itself, from request to request. */
import type { ModelMessage } from 'ai';
import type { Usage } from '../errors/usage.ts';
import type { AnyOutputDefinition } from '../output/definition.ts';
import type { AnswerRoute } from './answer-route.ts';
import type { GenerateOptions, GenerateSettings } from './generate-options.ts';
import type { ModelReply } from './model-reply.ts';

/** One call of `generate()`, as far as it has come. */
export interface Conversation {
  readonly options: GenerateOptions<AnyOutputDefinition>;
  readonly settings: GenerateSettings;
  /** The route that a reply has come by; it is kept, since the conversation is in its form. */
  route: AnswerRoute | undefined;
  /** What follows the caller's messages: wrong answers, and what was said to them. */
  readonly later: ModelMessage[];
  readonly usages: Usage[];
  /** The last text that was taken for the answer. */
  received: string | undefined;
  readonly startedAtMs: number;
}

/** A reply, and the route that reads it. */
export interface RoutedReply {
  readonly reply: ModelReply;
  readonly route: AnswerRoute;
  readonly durationMs: number;
}
