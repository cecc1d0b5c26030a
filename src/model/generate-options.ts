/** Owns what a call of `generate()` takes, and its judgement before anything is sent. */
import { describeValue } from '../errors/describe-value.ts';
import type { Prices } from '../errors/prices.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { Usage } from '../errors/usage.ts';
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import type { PartialOutput } from '../output/tag-scanner.ts';

/** A language model of the AI SDK, whichever provider made it. */
export interface GenerateModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** A message of the conversation so far; parts are those of the AI SDK. */
export interface GenerateMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly object[];
}

/** The way that the answer takes from the model. */
export type GenerateRoute = 'native' | 'tool' | 'json' | 'tag';

/** What one answer may cost; once it is spent, no further try begins. */
export interface GenerateBudget {
  /** Tokens read and written, over all tries. */
  readonly tokens?: number;
  /** US dollars over all tries; needs `prices`. */
  readonly usd?: number;
  /** Tries, the first one too. */
  readonly attempts?: number;
}

/** One request to the model's service, as `onCall` is told of it. */
export interface GenerateCall {
  /** The model's id: what the service calls it, where it answered. */
  readonly model: string;
  /** Zeros where the service told nothing; priced where `prices` are given. */
  readonly usage: Usage;
  readonly durationMs: number;
  /** `ok`, the code of the `StructuredOutputError` or `ModelError` that it ended in, `unsupported` where the service has not the route, or `aborted`. */
  readonly code: string;
  /** What the model thought, where the service tells it. */
  readonly reasoning?: string;
  /** The service withheld the reply: what did come of it is no answer. */
  readonly isWithheld?: true;
}

/** What `generate()` takes. */
export interface GenerateOptions<TDefinition extends AnyOutputDefinition> {
  readonly model: GenerateModel;
  /** What is asked; instead of `messages`. */
  readonly prompt?: string;
  /** The conversation whose next message is the answer; instead of `prompt`. */
  readonly messages?: readonly GenerateMessage[];
  readonly output: TDefinition;
  /** Attempts after the first; 0 is none. @default the output's own, else 2 */
  readonly maxRetries?: number;
  /** @default "auto", the best that the model supports */
  readonly route?: 'auto' | GenerateRoute;
  readonly budget?: GenerateBudget;
  readonly signal?: AbortSignal;
  /** What the tokens cost, so that `usage.costUsd` is known. */
  readonly prices?: Prices;
  /** File to which one line is appended for the answer or the failure, without its payload; `truecast report <file>` reads it. @default none */
  readonly outcomes?: string;
  /** Most tokens in one reply. @default the provider's */
  readonly maxOutputTokens?: number;
  /** @default the provider's */
  readonly temperature?: number;
  /**
   * Is told of each request when it has ended, also of those that failed and are repeated, and waited for before the answer is used or the next
   * request is sent. What it throws ends the call.
   */
  onCall?(call: GenerateCall): void | Promise<void>;
  /** Makes the calls streams, and tells the answer as it grows; a preview, never the answer. */
  onPartial?(partial: PartialOutput<InferOutput<TDefinition>>): void;
}

const ROUTES: readonly string[] = ['auto', 'native', 'tool', 'json', 'tag'];
const DEFAULT_MAX_RETRIES = 2;

/** What a call was reduced to. */
export interface GenerateSettings {
  readonly messages: readonly GenerateMessage[];
  readonly maxAttempts: number;
  readonly route: 'auto' | GenerateRoute;
}

/**
 * Judges the options, before any request.
 *
 * @throws UsageError for an option that is not what it must be, or two that exclude each other
 */
export function normalizeGenerateOptions(options: GenerateOptions<AnyOutputDefinition>): GenerateSettings {
  const { model, output, budget, prices } = options;
  assertModel(model);
  const maxRetries = options.maxRetries ?? output.maxRetries ?? DEFAULT_MAX_RETRIES;
  assertCount('maxRetries', maxRetries, 0);
  assertCount('budget.attempts', budget?.attempts, 1);
  assertPositive('budget.tokens', budget?.tokens);
  assertPositive('budget.usd', budget?.usd);
  if (budget?.usd !== undefined && prices === undefined) {
    throw new UsageError(
      'Expected `prices` beside `budget.usd`, got none: no provider tells what a call costs. Set `prices`.',
    );
  }
  const maxAttempts = Math.min(maxRetries + 1, budget?.attempts ?? Number.POSITIVE_INFINITY);
  return { messages: messagesOf(options), maxAttempts, route: routeOf(options) };
}

/** Refuses what has not a language model's methods. */
export function assertModel(model: GenerateModel): void {
  if (typeof model?.doGenerate === 'function' && typeof model.doStream === 'function') return;
  throw new UsageError(
    `Expected \`model\` to be a language model of the AI SDK, got ${describeValue(model)}. Pass one, such as \`openAICompatible({ baseURL, model })\`.`,
  );
}

function messagesOf({ prompt, messages }: GenerateOptions<AnyOutputDefinition>): readonly GenerateMessage[] {
  if ((prompt === undefined) === (messages === undefined)) {
    throw new UsageError('Expected one of `prompt` and `messages`, got both or none. Pass exactly one.');
  }
  if (prompt !== undefined && (typeof prompt !== 'string' || prompt.trim() === '')) {
    throw new UsageError(
      `Expected \`prompt\` to be a text that is not empty, got ${describeValue(prompt)}. Say what to answer.`,
    );
  }
  if (messages?.length === 0) throw new UsageError('Expected `messages` to hold a message, got none.');
  return messages ?? [{ role: 'user', content: prompt ?? '' }];
}

function routeOf({ output, route = 'auto' }: GenerateOptions<AnyOutputDefinition>): 'auto' | GenerateRoute {
  if (!ROUTES.includes(route)) {
    throw new UsageError(
      `Expected \`route\` to be one of ${ROUTES.join(', ')}, got ${describeValue(route)}.`,
    );
  }
  if (output.via === 'mcp') {
    throw new UsageError("`via: 'mcp'` is a route of `run()`. Use `via: 'tool'`, or leave it out.");
  }
  if (route !== 'auto' && output.via !== undefined && output.via !== route) {
    throw new UsageError(
      `Expected \`route\` and the output's \`via\` to agree, got \`${route}\` and \`${output.via}\`. Leave one out.`,
    );
  }
  const asked = route === 'auto' ? (output.via ?? 'auto') : route;
  if (output.tag === undefined && asked === 'tag') {
    throw new UsageError('Expected the output to have a `tag` for the tag route, got none. Give it one.');
  }
  if (output.tag !== undefined && asked !== 'auto' && asked !== 'tag') {
    throw new UsageError(
      `Expected no \`tag\` beside the route \`${asked}\`, got \`${output.tag}\`. Leave one out.`,
    );
  }
  return output.tag === undefined ? asked : 'tag';
}

/** Refuses what is no whole number, or one below `least`. */
export function assertCount(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw new UsageError(
    `Expected \`${name}\` to be a whole number of ${least} or more, got ${describeValue(value)}. Correct it.`,
  );
}

function assertPositive(name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value > 0)) return;
  throw new UsageError(
    `Expected \`${name}\` to be a number above 0, got ${describeValue(value)}. Correct it.`,
  );
}
