/** Owns how an agent reaches its model, as data: so that a sandbox can carry the requests and keep the key outside. */

/** How one agent's requests to its model are carried through `egress: "model"`. */
export interface ModelAccess {
  /** The model service's base URL on the host, from the agent's options or the host's environment. */
  readonly upstreamUrl: string;
  /** Headers that the proxy sets on each request, the key among them; they replace what the agent sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Environment for the agent inside, given the loopback URL that stands for `upstreamUrl`; holds placeholders, never a key. */
  environment(loopbackUrl: string): Readonly<Record<string, string>>;
  /** Names of environment variables that must not be inside, since they hold a key. */
  readonly secretNames: readonly string[];
}

/** Stands for a key inside a sandbox: agents refuse to start without one. */
export const PLACEHOLDER_KEY = 'truecast-placeholder';

/** Returns an environment variable's value, where it has one. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
