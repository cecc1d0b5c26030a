/** Interface between an agent and its model. */
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { StandardJsonSchema } from '@truecast/core/internal/schema/json-schema';
import type { EventContractOptions } from '@truecast/core/internal/event-contract/event-options';
import type { EventPayload } from '@truecast/core/internal/event-contract/event-result';
import type { ModelCall } from '../scenario/ensemble-agent.ts';

/** An agent's request to its model. */
export interface ProviderRequest {
  /**
   * The agent's identity. Sent before the prompt, as a system message if the model supports one.
   */
  readonly system: string;
  readonly prompt: string;
  /** The answer format as data. The prompt describes it in words where needed. */
  readonly contract: EventContractOptions;
  readonly signal: AbortSignal;
  /** Call it with the growing text of the answer, if the service streams. @default none */
  readonly onText?: (text: string) => void;
  /**
   * Call it when a request to the model ends: once for each request, failed and retried ones
   * included. Await it before you use the answer or send the next request. An error it throws ends
   * the call. A provider that never calls it is charged one call with its result's `usage`.
   */
  onCall(call: ModelCall): Promise<void>;
}

/** An agent's request for a validated answer. */
export interface StructuredRequest extends ProviderRequest {
  readonly schema: StandardJsonSchema<EventPayload>;
  /** Further attempts, if the agent limits them. @default the provider's */
  readonly maxRetries?: number;
}

/** A model's text reply. */
export interface Completion {
  readonly text: string;
  /** Usage of the call. Absent if the service reported none. */
  readonly usage?: Usage;
  /** The model that answered. @default the provider's `model` */
  readonly model?: string;
  /** The reasoning, if it is separate from the text. */
  readonly reasoning?: string;
}

/** An answer that the schema accepted. */
export interface StructuredCompletion {
  readonly value: unknown;
  /** Sum over all attempts. Absent if the service reported none. */
  readonly usage?: Usage;
  /** Number of attempts, the first included. */
  readonly attempts: number;
  readonly model?: string;
  readonly reasoning?: string;
  /** Rules of the schema that the engine was not asked to hold. Absent without a schema mode. */
  readonly unenforced?: NonNullable<Provenance['unenforced']>;
  /** The whole reply, if the value was read leniently from a part of it. */
  readonly receivedText?: string;
}

/**
 * A model of agents. Many agents can share it and call it concurrently: it keeps no state per call.
 *
 * Both methods reject without an answer. An error with `receivedText`, as in
 * `StructuredOutputError`, passes on the received text for lenient parsing.
 */
export interface Provider {
  /** Model name. */
  readonly model: string;
  /** Requests text. */
  complete(request: ProviderRequest): Promise<Completion>;
  /**
   * Requests a validated answer, within the provider's own retry limit. If this method exists,
   * agents use the validated path.
   */
  completeStructured?(request: StructuredRequest): Promise<StructuredCompletion>;
}
