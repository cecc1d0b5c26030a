/**
 * Builds a tool from a schema and a function: the model sees the schema, and the function receives
 * only valid input.
 */
import { z } from 'zod';
import { toolFailure, type ServerTool, type ToolContext, type ToolOutcome } from './server-tool.ts';

/** Parts of a built-in tool. */
export interface ToolSpec<TInput> extends Omit<ServerTool, 'definition' | 'run'> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<TInput>;
  run(input: TInput, context: ToolContext): Promise<ToolOutcome>;
}

/** Creates the tool. Invalid input is reported to the model by place. */
export function defineTool<TInput>(spec: ToolSpec<TInput>): ServerTool {
  const { name, description, input, run, ...traits } = spec;
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return {
    ...traits,
    definition: { name, description, inputSchema },
    run: (value, context) => {
      const parsed = input.safeParse(value);
      return parsed.success
        ? run(parsed.data, context)
        : Promise.resolve(
            toolFailure(`The arguments of ${name} are invalid: ${z.prettifyError(parsed.error)}`),
          );
    },
  };
}
