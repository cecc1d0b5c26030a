/**
 * Name reservation: only this server can use the finalizer's name, in every chat and turn. Pure.
 */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { DynamicTool } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import type { FormatProblem } from '../format/format-problem.ts';
import { FINALIZER_FACTS } from './finalizer-definition.ts';

/** Returns a problem if one of the client's tools has the finalizer's name. */
export function reservedNameProblem(tools: readonly DynamicTool[]): FormatProblem | undefined {
  const at = tools.findIndex(({ name }) => name === FINALIZER_NAME);
  if (at === -1) return undefined;
  return {
    field: 'tools',
    pointer: `/${at}/name`,
    detail: `\`${FINALIZER_NAME}\` is reserved for the server's own tool. Rename the tool.`,
  };
}

/** A tool that is left out because another tool has its name. */
export interface DroppedTool {
  readonly name: string;
  readonly kind: ToolFacts['kind'];
  /** The MCP server that offered it. */
  readonly server?: string;
  /** Log text: the omitted tool, its owner, and the remedy. */
  readonly warning: string;
}

export interface AssembledTools {
  readonly tools: ReadonlyMap<string, ToolFacts>;
  readonly dropped: readonly DroppedTool[];
}

/**
 * Assembles the tools of a turn. Of two tools with one name, the first one wins.
 *
 * Pass the server's own tools first, then MCP, the provider's, and the client's. The finalizer's name is reserved in turns
 * without a request too: a tool of that name could otherwise forge the result that clients read as the validated answer.
 */
export function assembleTools(...groups: readonly (readonly ToolFacts[])[]): AssembledTools {
  const tools = new Map<string, ToolFacts>();
  const dropped: DroppedTool[] = [];
  for (const tool of groups.flat()) {
    const isReserved = tool.name === FINALIZER_NAME && tool !== FINALIZER_FACTS;
    if (isReserved || tools.has(tool.name)) dropped.push(drop(tool));
    else tools.set(tool.name, tool);
  }
  return { tools, dropped };
}

const OWNERS: Readonly<Record<ToolFacts['kind'], string>> = {
  provider: "the model's provider",
  dynamic: 'the client',
  local: 'this server',
};

function drop({ name, kind, server }: ToolFacts): DroppedTool {
  const owner = server === undefined ? OWNERS[kind] : `the MCP server \`${server}\``;
  const [reason, remedy] =
    name === FINALIZER_NAME
      ? ["the name is reserved for the server's own tool", 'Rename it there.']
      : [
          'another tool has that name',
          kind === 'provider' ? 'Rename the other one to have both.' : 'Rename it there.',
        ];
  const warning = `The tool \`${name}\` of ${owner} is not offered in this turn: ${reason}. ${remedy}`;
  return { name, kind, warning, ...(server !== undefined && { server }) };
}
