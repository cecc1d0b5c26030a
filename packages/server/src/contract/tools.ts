/** Tool facts that turn decisions need. Pure. */

/** Executor of a tool: this server, the client, or the model's provider. */
export type ToolKind = 'local' | 'dynamic' | 'provider';

/** A tool that several providers implement, by its provider-independent name. */
export type ProviderToolName = 'web_search';

export interface ToolFacts {
  readonly name: string;
  readonly kind: ToolKind;
  /** True if it must be the only call of its step. With other calls, no call of the step runs. */
  readonly isExclusive: boolean;
  /** True if a successful result ends the turn. */
  readonly isStopAfter: boolean;
  /** True if it changes nothing. Only such tools run in plan mode. */
  readonly readOnlyHint: boolean;
  /** Its MCP server. */
  readonly server?: string;
}
