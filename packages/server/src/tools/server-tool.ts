/** Server tool: its definition for the model, its facts for turn decisions, and its execution. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ToolFacts } from '../contract/tools.ts';
import type { ToolDefinition } from '../models/step-request.ts';
import type { TraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import type { ToolCallContext, ToolTraits } from './tool-traits.ts';

/** A tool that the server runs. */
export interface ServerTool extends ToolTraits {
  readonly definition: ToolDefinition;
  /** Its MCP server. */
  readonly server?: string;
  /**
   * True if its work continues when this process stops. The call then stays open, and the next worker of the
   * turn repeats it. Needs `idempotentHint`. @default false
   */
  readonly isDurable?: boolean;
  /** Runs a call. A thrown error is sent to the model as an error result. */
  run(input: JsonValue, context: ToolContext): Promise<ToolOutcome>;
}

/** Context of a call for built-in tools. */
export interface ToolContext extends ToolCallContext, TraceHeaders {
  /** The chat whose workspace it uses. A child uses its parent's. */
  readonly workspaceId: string;
  /** The message with the call, because call ids repeat across messages. */
  readonly messageId: number;
  /** Runs a wait for another chat without the turn's worker slot, which that chat might need. */
  whileWaiting<T>(wait: () => Promise<T>): Promise<T>;
}

/** Result of a call. */
export interface ToolOutcome {
  readonly result: JsonValue;
  readonly isError: boolean;
  /** Model usage of the tool itself. Charged to the owner with the result. */
  readonly usage?: Usage;
}

/** An error result for the model. */
export function toolFailure(message: string): ToolOutcome {
  return { result: message, isError: true };
}

export function toolSuccess(result: JsonValue): ToolOutcome {
  return { result, isError: false };
}

/** Facts for turn decisions. */
export function factsOf({ definition, server, ...traits }: ServerTool): ToolFacts {
  return {
    name: definition.name,
    kind: 'local',
    isExclusive: traits.isExclusive === true,
    isStopAfter: traits.isStopAfter === true,
    readOnlyHint: traits.readOnlyHint === true,
    ...(server !== undefined && { server }),
  };
}
