/** Owns that nobody but this server has a tool of the finalizer's name: at the request, and where the tools of a turn are put together. Pure. */
import { FINALIZER_NAME } from '../../output/finalizer/finalizer-tool.ts';
import type { DynamicTool } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import type { FormatProblem } from '../format/format-problem.ts';

/** Returns the problem of a request with a format in a chat whose client has a tool of the finalizer's name. */
export function dynamicToolProblem(
  tools: readonly DynamicTool[],
  hasFormat: boolean,
): FormatProblem | undefined {
  const at = tools.findIndex(({ name }) => name === FINALIZER_NAME);
  if (!hasFormat || at === -1) return undefined;
  return {
    field: 'tools',
    pointer: `/${at}/name`,
    detail: `\`${FINALIZER_NAME}\` is the name of the server's own tool while a response_format is set. Rename the tool, or leave the format out.`,
  };
}

/** A tool that is left out because its name belongs to another. */
export interface DroppedTool {
  readonly name: string;
  readonly kind: ToolFacts['kind'];
  /** The MCP server that offered it. */
  readonly server?: string;
  /** For the log: which tool of whom is left out, and what to do. */
  readonly warning: string;
}

/** The tools of a turn, by name. */
export interface AssembledTools {
  readonly tools: ReadonlyMap<string, ToolFacts>;
  readonly dropped: readonly DroppedTool[];
}

/** Puts the tools of a turn together: of two with one name the first one wins. Pass the server's own first, then MCP, the provider's, and the client's. */
export function assembleTools(...groups: readonly (readonly ToolFacts[])[]): AssembledTools {
  const tools = new Map<string, ToolFacts>();
  const dropped: DroppedTool[] = [];
  for (const tool of groups.flat()) {
    if (tools.has(tool.name)) dropped.push(drop(tool));
    else tools.set(tool.name, tool);
  }
  return { tools, dropped };
}

function drop({ name, kind, server }: ToolFacts): DroppedTool {
  const owner =
    server !== undefined
      ? `the MCP server \`${server}\``
      : kind === 'provider'
        ? "the model's provider"
        : kind === 'dynamic'
          ? 'the client'
          : 'this server';
  const advice = kind === 'provider' ? 'Rename the other one to have both.' : 'Rename it there.';
  const warning = `The tool \`${name}\` of ${owner} is left out of this turn: another tool has that name. ${advice}`;
  return { name, kind, warning, ...(server !== undefined && { server }) };
}
