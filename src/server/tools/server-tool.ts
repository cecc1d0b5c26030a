/** Owns what a tool of the server is: what a model is told of it, how a turn treats it, and how it runs. */
import type { JsonValue } from '../../schema/json-value.ts';
import type { ToolFacts } from '../contract/tools.ts';
import type { ToolDefinition } from '../models/step-request.ts';
import type { ToolCallContext, ToolTraits } from './tool-traits.ts';

/** A tool that the server runs. */
export interface ServerTool extends ToolTraits {
  readonly definition: ToolDefinition;
  /** The MCP server that offers it. */
  readonly server?: string;
  /** Runs a call. What it throws is told to the model as an error. */
  run(input: JsonValue, context: ToolContext): Promise<ToolOutcome>;
}

/** What a tool of the server's own knows of the call beside its input. */
export interface ToolContext extends ToolCallContext {
  /** The chat whose workspace it works in: a child works in its parent's. */
  readonly workspaceId: string;
  /** The message that holds the call: ids of calls repeat from one to the next. */
  readonly messageId: number;
  /** Does what only waits for another chat: meanwhile the turn's place is free, which that chat may need. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T>;
}

/** What a call gave. */
export interface ToolOutcome {
  readonly result: JsonValue;
  readonly isError: boolean;
}

/** A result that the model is to see as a failure. */
export function toolFailure(message: string): ToolOutcome {
  return { result: message, isError: true };
}

/** A result. */
export function toolSuccess(result: JsonValue): ToolOutcome {
  return { result, isError: false };
}

/** What a turn decides by. */
export function factsOf({ definition, server, ...traits }: ServerTool): ToolFacts {
  return {
    name: definition.name,
    kind: 'local',
    isExclusive: traits.isExclusive === true,
    isStopAfter: traits.isStopAfter === true,
    isReadOnly: traits.isReadOnly === true,
    ...(server !== undefined && { server }),
  };
}
