/** Owns making a tool of a schema and a function: the model is told the schema, and no input reaches the function without fitting it. */
import { z } from 'zod';
import { toolFailure, type ServerTool, type ToolContext, type ToolOutcome } from './server-tool.ts';

/** What a built-in tool is made of. */
export interface ToolSpec<TInput> extends Omit<ServerTool, 'definition' | 'run'> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<TInput>;
  run(input: TInput, context: ToolContext): Promise<ToolOutcome>;
}

/** Makes the tool. An input that does not fit is told to the model with its places. */
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
            toolFailure(`The arguments of ${name} do not fit: ${z.prettifyError(parsed.error)}`),
          );
    },
  };
}
