/** State of one `generate()` call across its requests. */
import type { ModelMessage } from 'ai';
import type { Usage } from '@truecast/core/internal/errors/base/usage';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { makeRoute, type AnswerRoute } from './answer-route.ts';
import type {
  FutileTest,
  GenerateMessage,
  GenerateOptions,
  GenerateRoute,
  GenerateSettings,
} from '../call/generate-options.ts';
import type { CandidateReader } from '@truecast/core/internal/output/candidates/lenient-candidates';
import { hasJsonMode, supportedRoutes } from './route-support.ts';
import type { Trace } from '../telemetry/tracing.ts';
import type { ModelReply } from '../call/model-reply.ts';

/** One running `generate()` call. */
export interface Conversation {
  readonly options: GenerateOptions<AnyOutputDefinition>;
  readonly settings: GenerateSettings;
  /** Undefined if answers are strict. */
  readonly lenient: CandidateReader | undefined;
  /** Returns true if another attempt would not improve the reply. Undefined if each one could. */
  readonly isFutile: FutileTest | undefined;
  /** The route of the last reply. It is kept until the service is found to ignore it. */
  route: AnswerRoute | undefined;
  /** Messages after the caller's: invalid answers and their feedback. */
  readonly later: ModelMessage[];
  readonly usages: Usage[];
  /** The last text that was read as an answer. */
  received: string | undefined;
  readonly startedAtMs: number;
  /** Creates spans of the model calls, below the answer's span. */
  readonly trace: Trace;
}

/** A reply, and the route that reads it. */
export interface RoutedReply {
  readonly reply: ModelReply;
  readonly route: AnswerRoute;
  readonly durationMs: number;
}

/**
 * Opens a route of this conversation.
 *
 * @throws as `makeRoute`
 */
export function openRoute(
  { options: { model, output }, settings, lenient }: Conversation,
  name: GenerateRoute,
): AnswerRoute {
  const said = settings.messages.flatMap(textsOf);
  return makeRoute(name, { output, model, lenient, said, hasJsonMode: hasJsonMode(model) });
}

function textsOf({ content }: GenerateMessage): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((part) => {
    const text: unknown = Reflect.get(part, 'text');
    return typeof text === 'string' ? [text] : [];
  });
}

/**
 * Returns the route of the next request: this one, or a lower one if the service was found to
 * ignore it. Earlier messages stay in the conversation.
 */
export function nextRoute(conversation: Conversation, route: AnswerRoute): AnswerRoute {
  const { options, settings } = conversation;
  if (settings.route !== 'auto' || options.output.tag !== undefined) return route;
  const routes = supportedRoutes(options.model);
  const [best = route.name] = routes;
  return routes.includes(route.name) ? route : openRoute(conversation, best);
}
