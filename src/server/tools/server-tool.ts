/** Owns what a tool of the server is: what a model is told of it, how a turn treats it, and how it runs. */
import type { JsonValue } from '../../schema/json-value.ts';
import type { ToolFacts } from '../contract/tools.ts';
import type { ToolDefinition } from '../models/step-request.ts';

/** A tool that the server runs. */
export interface ServerTool {
  readonly definition: ToolDefinition;
  /** It runs alone: with any other call beside it nothing runs. @default false */
  readonly isExclusive?: boolean;
  /** Its success ends the turn. @default false */
  readonly isStopAfter?: boolean;
  /** It changes nothing, so that it may be used in plan mode. @default false */
  readonly isReadOnly?: boolean;
  /** Running it twice is as running it once: a call whose answer was lost is made again. @default false */
  readonly isIdempotent?: boolean;
  /** When its signal fires it ends what it does and tells how far it came: its result stands also in an interrupted turn. @default false */
  readonly tellsWhenStopped?: boolean;
  /** The MCP server that offers it. */
  readonly server?: string;
  /** Runs a call. What it throws is told to the model as an error. */
  run(input: JsonValue, context: ToolContext): Promise<ToolOutcome>;
}

/** What a tool knows of the call beside its input. */
export interface ToolContext {
  readonly chatId: string;
  /** The chat whose workspace it works in: a child works in its parent's. */
  readonly workspaceId: string;
  /** The message that holds the call: ids of calls repeat from one to the next. */
  readonly messageId: number;
  readonly ownerId: string;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
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
