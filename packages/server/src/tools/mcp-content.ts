/** Conversion between JSON and the arguments and content of MCP tools. Pure. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { toolFailure, type ToolOutcome } from './server-tool.ts';

const recordSchema = z.record(z.string(), z.unknown());
const jsonSchema: z.ZodType<JsonValue> = z.json();

/** Returns a call's input as the arguments of an MCP tool. */
export function toArguments(input: JsonValue): Record<string, unknown> {
  const parsed = recordSchema.safeParse(input);
  return parsed.success ? parsed.data : {};
}

/** Converts content to text. A prompt cannot contain a file's bytes, so a note replaces them. */
export function toOutcome({ content, structuredContent, isError }: CallToolResult): ToolOutcome {
  const told = structuredContent ?? content.map(textOf).join('\n');
  const parsed = jsonSchema.safeParse(told);
  return parsed.success
    ? { result: parsed.data, isError: isError === true }
    : toolFailure('The tool returned a result that is not JSON.');
}

function textOf(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource_link':
      return `[${part.name}: ${part.uri}]`;
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[${part.resource.uri}: ${leftOut(part.resource.mimeType, part.resource.blob)}]`;
    default:
      return `[${part.type}: ${leftOut(part.mimeType, part.data)}]`;
  }
}

function leftOut(mediaType: string | undefined, base64: string): string {
  return `${mediaType ?? 'file'} of ${Math.floor((base64.length * 3) / 4)} bytes, which is left out`;
}
