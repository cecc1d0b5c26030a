/** Owns what the bridge is asked, and what it prints: one JSON object a line. Types alone, so that the bridge carries nothing else. */
import type { McpServerCommand } from '../agent-provider.ts';

/** What one process of the bridge is asked. */
export interface BridgeRequest {
  /** The agent's command, for `sh -c`. */
  readonly command: string;
  readonly prompt: string;
  readonly model?: string;
  /** Way to log in that the agent offers, by its id. */
  readonly authMethod?: string;
  readonly resumeSession?: string;
  readonly forksSession: boolean;
  readonly mcpServers: readonly McpServerCommand[];
  /** Grants whatever the agent asks leave for; otherwise all is refused. */
  readonly grantsPermissions: boolean;
}

/** One line of the bridge. */
export type BridgeLine =
  | { readonly type: 'session'; readonly sessionId: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool-result'; readonly id: string; readonly output: unknown; readonly isError: boolean }
  | { readonly type: 'usage'; readonly usage: unknown }
  | { readonly type: 'cost'; readonly amountUsd: number }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'end'; readonly stopReason: string }
  | { readonly type: 'error'; readonly message: string; readonly statusCode?: number };
