/** The caller's functions: definitions for the model, and facts for turn decisions. Pure. */
import type { ToolFacts } from '../../contract/tools.ts';
import { reservedNameProblem } from '../../finalizer/protect-name.ts';
import type { ToolDefinition } from '../../models/step-request.ts';
import { refused, type WireFailure } from './wire-failure.ts';
import type { WireRequest } from './wire-request.ts';

/** A function as sent. */
export interface WireFunction {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly strict?: boolean | null | undefined;
}

/** Creates the definition of a function. A function without parameters accepts an empty object. */
export function toolDefinition({ name, description, parameters, strict }: WireFunction): ToolDefinition {
  return {
    name,
    description: description ?? '',
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
  };
}

/** The caller runs its functions itself, so a call ends the answer. */
export function callerFacts({ name }: ToolDefinition): ToolFacts {
  return { name, kind: 'dynamic', isExclusive: false, isStopAfter: false, readOnlyHint: false };
}

/** Returns the problems of the tools' names and of the tool choice. */
export function toolsFailure({ tools, toolChoice, format }: WireRequest): WireFailure | undefined {
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) return refused('tools', '`tools`: Two of them have the same name.');
  if (toolChoice === 'required' && tools.length === 0) {
    return refused('tool_choice', '`tool_choice`: A call is required, and there are no `tools`.');
  }
  if (typeof toolChoice === 'object' && !names.has(toolChoice.name)) {
    return refused('tool_choice', '`tool_choice`: Names a function that is not among `tools`.');
  }
  // Without a format there is no finalizer and no transcript to forge. Another Truecast server can
  // therefore call its own finalizer through this wire.
  if (format === undefined) return undefined;
  const problem = reservedNameProblem(
    tools.map(({ name, inputSchema }) => ({ name, input_schema: inputSchema })),
  );
  return problem === undefined ? undefined : refused('tools', `\`tools\`: ${problem.detail}`);
}
