/** Owns what a turn has to know of a tool to decide about its calls. Pure. */

/** Who runs a tool: this server, the client, or the model's provider. */
export type ToolKind = 'local' | 'dynamic' | 'provider';

/** A tool that several providers have, each of its own; the name that a configuration and a turn know it by. */
export type ProviderToolName = 'web_search';

/** What a tool is to a turn. */
export interface ToolFacts {
  readonly name: string;
  readonly kind: ToolKind;
  /** It runs alone in its step, or nothing of the step runs. */
  readonly isExclusive: boolean;
  /** A result of it that is no error ends the turn. */
  readonly isStopAfter: boolean;
  /** It changes nothing; only such tools run in plan mode. */
  readonly isReadOnly: boolean;
  /** The MCP server that offers it. */
  readonly server?: string;
}
