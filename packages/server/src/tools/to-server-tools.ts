/** Converts custom tools to server tools: validated input, JSON results. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { assertKnownMembers, type OwnTool, type OwnTools } from './own-tool.ts';
import { toolFailure, toolSuccess, type ServerTool } from './server-tool.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/u;

/** Converts the tools. @throws UsageError for an invalid name, or a schema without a JSON Schema */
export function toServerTools(tools: OwnTools): readonly ServerTool[] {
  return Object.entries(tools).map(([name, tool]) => toServerTool(name, tool));
}

function toServerTool(name: string, tool: OwnTool): ServerTool {
  const { description = '', inputSchema, execute: _execute, ...traits } = tool;
  if (!NAME.test(name) || name === FINALIZER_NAME) {
    throw new UsageError(
      `Expected a tool name of 1 to 64 letters, digits, \`_\` and \`-\`, and not \`${FINALIZER_NAME}\`, got ${describeValue(name)}. Rename it.`,
    );
  }
  assertKnownMembers(tool, `the tool \`${name}\``);
  const schema = toJsonSchema(inputSchema);
  return {
    ...traits,
    definition: { name, description, inputSchema: typeof schema === 'object' ? { ...schema } : {} },
    run: async (value, context) => {
      const judged = await inputSchema['~standard'].validate(value);
      if (judged.issues !== undefined) {
        return toolFailure(
          `The arguments of ${name} are invalid: ${judged.issues.map(describeIssue).join('; ')}`,
        );
      }
      return toolSuccess(toJson(await tool.execute(judged.value, context), name));
    },
  };
}

function describeIssue({ message, path = [] }: StandardSchemaV1.Issue): string {
  const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return at === '' ? message : `\`${at}\`: ${message}`;
}

const json: z.ZodType<JsonValue> = z.json();

function toJson(value: unknown, name: string): JsonValue {
  const parsed = json.safeParse(value ?? null);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    `Expected the tool \`${name}\` to return JSON, got ${describeValue(value)}. Return plain values.`,
  );
}
