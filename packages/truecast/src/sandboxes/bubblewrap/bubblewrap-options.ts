/** Options of `bubblewrap()`. */
import type { BubblewrapLimits } from './limits.ts';
import type { ModelRequest } from '../egress/model/model-proxy.ts';
import type { EgressPolicy, MountConfig } from '../../ports/sandbox-provider.ts';

/** Options of `bubblewrap()`. */
export interface BubblewrapOptions {
  /** Environment of every command inside. The host's environment is not visible. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Host paths to show inside. @default [] */
  readonly mounts?: readonly MountConfig[];
  /**
   * Allowed connections. With `"model"`, the agent reaches only its model, through a proxy on the
   * host that adds the key. Other commands have no network. With `{ allow }`, every command reaches
   * the listed hosts. The agent also reaches its model as with `"model"`, if it supports that.
   * @default "model" if the agent supports it, else the agent's own hosts; never "host"
   */
  readonly egress?: EgressPolicy;
  /**
   * Absolute path of HOME inside. It is a private folder that is removed with the sandbox.
   * @default "/home/agent"
   */
  readonly homePath?: string;
  /** Resource limits of the guest. */
  readonly limits?: BubblewrapLimits;
  /** Called after the end of each model request that a proxy forwarded. */
  readonly onModelRequest?: (request: ModelRequest) => void;
}
