/** The bridge's request and output lines, one JSON object per line, and its error. */
import type { ClosedMode, McpServerCommand } from '../../ports/agent-provider.ts';
import type { AcpPresetName } from './presets.ts';
import { AgentError } from '@truecast/core/internal/errors/agent-error';

export interface BridgeRequest {
  /** The agent's command, for `sh -c`. */
  readonly command: string;
  readonly prompt: string;
  readonly model?: string;
  /** Mode of the session. If absent, `opensMode` decides. */
  readonly mode?: string;
  /** If true, the session works in the most open mode that the agent offers. */
  readonly opensMode: boolean;
  /** Id of a login method that the agent offers. */
  readonly authMethod?: string;
  /** Login method that is used only if the agent requires a login. */
  readonly fallbackAuthMethod?: string;
  readonly resumeSession?: string;
  readonly forksSession: boolean;
  readonly mcpServers: readonly McpServerCommand[];
  /** Preset whose agent gets the servers by its command line too. */
  readonly serverArgsOf?: AcpPresetName | undefined;
  /** Metadata of the request that opens the session. */
  readonly sessionMeta?: Readonly<Record<string, unknown>>;
  /** If true, all permission requests of the agent are granted. Otherwise all are denied. */
  readonly grantsPermissions: boolean;
}

export type BridgeLine =
  | { readonly type: 'session'; readonly sessionId: string; readonly closedMode?: ClosedMode }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool-result'; readonly id: string; readonly output: unknown; readonly isError: boolean }
  | { readonly type: 'usage'; readonly usage: unknown }
  | { readonly type: 'cost'; readonly amountUsd: number }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'end'; readonly stopReason: string }
  | { readonly type: 'error'; readonly message: string; readonly statusCode?: number };

/** Creates the error. Its message is printed and becomes the run's error message. */
export function bridgeError(message: string, cause?: unknown): AgentError {
  return new AgentError(message, { code: 'api', cause });
}
