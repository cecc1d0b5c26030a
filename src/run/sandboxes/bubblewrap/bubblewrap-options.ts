/** Owns what `bubblewrap()` takes. */
import type { ModelRequest } from '../egress/model-proxy.ts';
import type { EgressPolicy, MountConfig } from '../sandbox-provider.ts';

/** Options of `bubblewrap()`. */
export interface BubblewrapOptions {
  /** Environment for every command inside; the host's own is not seen. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Host paths to show inside. @default [] */
  readonly mounts?: readonly MountConfig[];
  /**
   * Where the agent may connect to. `"model"`: to its model alone, by a proxy on the host that adds the key; other commands
   * have no network. `{ allow }`: to listed hosts, for every command, and to the model as with `"model"` where the agent can.
   * @default "model" where the agent can reach its model so, else "host"
   */
  readonly egress?: EgressPolicy;
  /** HOME inside, absolute; a private folder that is removed with the sandbox. @default "/home/agent" */
  readonly homePath?: string;
  /** Is called with each request to the model that a proxy carried, after it ended. */
  readonly onModelRequest?: (request: ModelRequest) => void;
}
