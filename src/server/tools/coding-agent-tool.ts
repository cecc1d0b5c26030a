/** Owns the tool by which a chat has a coding agent work: on a branch of its own, its answer held to a schema where one is given. */
import { z } from 'zod';
import { TruecastError } from '../../errors/truecast-error.ts';
import { parseJson } from '../../output/parse-json.ts';
import { jsonSchema } from '../../schema/json-schema.ts';
import type { JsonSchema } from '../../schema/json-schema-types.ts';
import type { JsonValue } from '../../schema/json-value.ts';
import type { AgentReply, AgentRunner, AgentTask } from '../agents/agent-runner.ts';
import { defineTool } from './define-tool.ts';
import { toolFailure, toolSuccess, type ServerTool } from './server-tool.ts';

interface CodingTask {
  readonly agent: string;
  readonly task: string;
  readonly schema?: Record<string, unknown> | undefined;
}

/** The tool over the agents that the runner has; none where it has none. */
export function codingAgentTools(agents: AgentRunner): readonly ServerTool[] {
  const [first, ...others] = agents.list();
  if (first === undefined) return [];
  const input: z.ZodType<CodingTask> = z.strictObject({
    agent: z.enum([first, ...others]),
    task: z.string().min(1),
    schema: z.record(z.string(), z.unknown()).optional(),
  });
  return [
    defineTool({
      name: 'run_coding_agent',
      description:
        'Has a coding agent work on the repository, on a branch of its own, and waits for its answer. It sees nothing of this conversation: put all it needs into `task`. ' +
        'With `schema`, a JSON Schema, the answer is a value that fits it.',
      input,
      run: async (asked, { signal }) => runAgent(agents, asked, signal),
    }),
  ];
}

async function runAgent(
  agents: AgentRunner,
  { agent, task, schema }: CodingTask,
  signal: AbortSignal,
): ReturnType<ServerTool['run']> {
  try {
    const output = schema === undefined ? {} : { output: { name: 'answer', schema: checked(schema) } };
    const work: AgentTask = { agent, prompt: task, signal, ...output };
    const reply = await agents.run(work);
    return toolSuccess({ answer: answerOf(reply, schema !== undefined), ...workOf(reply) });
  } catch (error) {
    if (!TruecastError.isInstance(error)) throw error;
    return toolFailure(error.message);
  }
}

/** @throws SchemaError, which names what is wrong, before any agent is started */
function checked(schema: Record<string, unknown>): JsonSchema {
  // Whether it is a schema is for the compiler to say.
  const asked = schema as JsonSchema;
  jsonSchema(asked);
  return asked;
}

/** The runner has validated it. */
function answerOf({ text }: AgentReply, isJson: boolean): JsonValue {
  const parsed = isJson ? parseJson(text) : undefined;
  return parsed?.success === true ? (parsed.value as JsonValue) : text;
}

function workOf({ work }: AgentReply): Record<string, JsonValue> {
  return work === undefined ? {} : { branch: work.branch, commits: [...work.commits] };
}
