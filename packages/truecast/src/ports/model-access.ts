/** Model access as data, so that a sandbox can proxy requests and keep the key outside. */

import type { ModelWire } from './model-endpoints.ts';

/** Proxy settings for one agent's model requests under `egress: "model"`. */
export interface ModelAccess {
  /**
   * APIs whose requests are forwarded. Requests to other APIs of the service are refused. @default
   * all known APIs
   */
  readonly wires?: readonly ModelWire[];
  /** The model service's base URL on the host, from the agent's options or the host's environment. */
  readonly upstreamUrl: string;
  /**
   * Headers that the proxy sets on each request, including the key. They replace the agent's
   * headers.
   */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Environment for the agent inside the sandbox, given the loopback URL that replaces
   * `upstreamUrl`. Contains placeholders, never a key.
   */
  environment(loopbackUrl: string): Readonly<Record<string, string>>;
  /** Names of environment variables that must not be set inside, because they contain a key. */
  readonly secretNames: readonly string[];
}

/** Placeholder for a key inside a sandbox. Agents refuse to start without a key. */
export const PLACEHOLDER_KEY = 'truecast-placeholder';

/** Returns an environment variable's value, or undefined if it is empty. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
