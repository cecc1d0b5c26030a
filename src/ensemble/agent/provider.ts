/** Owns the contract between an agent and the model behind it. */
import type { Usage } from '../../errors/usage.ts';
import type { StandardJsonSchema } from '../../schema/json-schema.ts';
import type { EventContractOptions } from '../contract/event-options.ts';
import type { EventPayload } from '../contract/event-result.ts';
import type { ModelCall } from './ensemble-agent.ts';

/** What an agent asks of its model. */
export interface ProviderRequest {
  /** Who the agent is; to be sent before the prompt, as a system message where the model knows one. */
  readonly system: string;
  readonly prompt: string;
  /** What an answer may be, as data; the prompt says it in words where it has to. */
  readonly contract: EventContractOptions;
  readonly signal: AbortSignal;
  /**
   * To be called when a request to the model has ended, once for each, failed and repeated ones too, and to be waited for before the answer is
   * used or the next request is sent. What it throws ends the call. A provider that never calls it is charged one call by its result's `usage`.
   */
  onCall(call: ModelCall): Promise<void>;
}

/** What an agent asks where the answer is validated. */
export interface StructuredRequest extends ProviderRequest {
  readonly schema: StandardJsonSchema<EventPayload>;
  /** Answers after the first, where the agent bounds them. @default the provider's own */
  readonly maxRetries?: number;
}

/** What a model said. */
export interface Completion {
  readonly text: string;
  /** What the call cost. */
  readonly usage: Usage;
  /** The model that answered. @default the provider's `model` */
  readonly model?: string;
  /** What it thought, where it is told apart from the text. */
  readonly reasoning?: string;
}

/** An answer that the schema accepted. */
export interface StructuredCompletion {
  readonly value: unknown;
  /** The sum over all tries. */
  readonly usage: Usage;
  /** Tries, the first one too. */
  readonly attempts: number;
  readonly model?: string;
  readonly reasoning?: string;
}

/**
 * A model behind an agent. May be shared by a whole cast and asked by many at a time: nothing about a call is kept on it.
 *
 * Both methods reject when there is no answer; an error with `receivedText` (as `StructuredOutputError` has it) hands on the text that came, which
 * is then read tolerantly.
 */
export interface Provider {
  /** Name of the model. */
  readonly model: string;
  /** Asks for words. */
  complete(request: ProviderRequest): Promise<Completion>;
  /** Asks for a validated answer, within the provider's own bound of tries; its being there is what makes an agent take the validated path. */
  completeStructured?(request: StructuredRequest): Promise<StructuredCompletion>;
}
