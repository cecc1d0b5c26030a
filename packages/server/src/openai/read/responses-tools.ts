/**
 * Tools of the Responses API. Models get functions only: a namespace is flattened, a custom tool becomes a
 * function with one text, and a tool that OpenAI hosts is set aside. Pure.
 */
import { z } from 'zod';
import { refused, type WireFailure } from '../wire/wire-failure.ts';
import { FUNCTION_FIELDS, toolList } from '../wire/wire-schemas.ts';
import type { ToolForm } from '../wire/wire-request.ts';
import { toolDefinition, type WireFunction } from '../wire/wire-tools.ts';
import type { ToolDefinition } from '../../models/step-request.ts';

interface CustomTool {
  readonly type: 'custom';
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly format?: Readonly<Record<string, unknown>> | null | undefined;
}

type FunctionTool = WireFunction & { readonly type: 'function' };

interface NamespaceTool {
  readonly type: 'namespace';
  readonly name: string;
  readonly tools: readonly (FunctionTool | CustomTool)[];
}

interface HostedTool {
  readonly type: 'hosted';
  readonly kind: string;
}

export type SentTool = FunctionTool | CustomTool | NamespaceTool | HostedTool;

const functionTool = z.looseObject({ type: z.literal('function'), ...FUNCTION_FIELDS });
const customTool = z.looseObject({
  type: z.literal('custom'),
  name: FUNCTION_FIELDS.name,
  description: FUNCTION_FIELDS.description,
  format: z.record(z.string(), z.unknown()).nullish(),
});
const CLIENT_TOOLS: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);

/** All other types are tools that OpenAI hosts, such as `web_search`. */
function markHosted(tool: unknown): unknown {
  const { type } = z.looseObject({ type: z.string() }).safeParse(tool).data ?? {};
  return type === undefined || CLIENT_TOOLS.has(type) ? tool : { type: 'hosted', kind: type };
}

/** Parses the list. */
export const responsesToolsSchema: z.ZodType<readonly SentTool[] | null | undefined> = z.preprocess(
  (tools) => (Array.isArray(tools) ? tools.map(markHosted) : tools),
  toolList(
    z.discriminatedUnion(
      'type',
      [
        functionTool,
        customTool,
        z.looseObject({
          type: z.literal('namespace'),
          name: FUNCTION_FIELDS.name,
          tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])),
        }),
        z.strictObject({ type: z.literal('hosted'), kind: z.string() }),
      ],
      { error: 'Must have a `type`, such as "function".' },
    ),
  ),
);

/** The functions for the model, and what their caller knows them as. */
export interface OfferedTools {
  readonly tools: readonly ToolDefinition[];
  readonly forms: ReadonlyMap<string, ToolForm>;
  /** Fields of the tools that were set aside. */
  readonly setAside: readonly string[];
}

export function offeredTools(sent: readonly SentTool[]): OfferedTools {
  const tools: ToolDefinition[] = [];
  const forms = new Map<string, ToolForm>();
  const setAside: string[] = [];
  const add = (tool: FunctionTool | CustomTool, namespace?: string): void => {
    const isTaken = tools.some(({ name }) => name === tool.name);
    const name = namespace !== undefined && isTaken ? groupedName(namespace, tool.name) : tool.name;
    tools.push({ ...(tool.type === 'custom' ? textFunction(tool) : toolDefinition(tool)), name });
    if (tool.type === 'custom' || namespace !== undefined) {
      forms.set(name, {
        name: tool.name,
        isText: tool.type === 'custom',
        ...(namespace !== undefined && { namespace }),
      });
    }
  };
  for (const [index, tool] of sent.entries()) {
    if (tool.type === 'hosted') setAside.push(placeOf(index, tool.kind));
    else if (tool.type === 'namespace') for (const each of tool.tools) add(each, tool.name);
    else add(tool);
  }
  return { tools, forms, setAside };
}

/** A header takes no other characters of a stranger's name. */
function placeOf(index: number, kind: string): string {
  const place = `tools[${index}]`;
  return /^[\w.-]{1,64}$/u.test(kind) ? `${place} (${kind})` : place;
}

/** A tool is set aside only if the model can answer without it. */
export function hostedFailure(sent: readonly SentTool[], choice: unknown): WireFailure | undefined {
  const index = sent.findIndex(({ type }) => type === 'hosted');
  if (index === -1 || choice !== 'required') return undefined;
  const field = `tools[${index}].type`;
  return refused(
    field,
    `\`${field}\`: Tools hosted by OpenAI are not supported. Leave it out, or set \`tool_choice\` to "auto".`,
  );
}

/** Name of a function in a namespace, if another tool has its name. */
export function groupedName(namespace: string, name: string): string {
  return `${namespace}__${name}`.slice(0, MAX_NAME_CHARS);
}

const MAX_NAME_CHARS = 64;

function textFunction({ name, description, format }: CustomTool): ToolDefinition {
  const definition = format?.['definition'];
  const grammar = typeof definition === 'string' ? `The input follows this grammar:\n${definition}` : '';
  return {
    name,
    description: [description ?? '', grammar].filter((text) => text !== '').join('\n\n'),
    inputSchema: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  };
}
