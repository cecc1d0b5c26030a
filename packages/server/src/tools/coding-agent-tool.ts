/** Coding agent tool: runs an agent on a new branch, optionally with a schema for its answer. */
import { z } from 'zod';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AgentReply, AgentRunner, AgentTask } from '../agents/agent-runner.ts';
import { workOfFailure } from '../agents/work-of-failure.ts';
import { traceOf } from '@truecast/model/internal/telemetry/traceparent';
import { idOfCall } from '../state/client-ids/derived-id.ts';
import { observedAgent, usageOf } from '../models/observed-agent.ts';
import type { CallObserver } from '../models/observed-step.ts';
import { defineTool } from './define-tool.ts';
import {
  toolFailure,
  toolSuccess,
  type ServerTool,
  type ToolContext,
  type ToolOutcome,
} from './server-tool.ts';

interface CodingTask {
  readonly agent: string;
  readonly task: string;
  readonly schema?: Record<string, unknown> | undefined;
}

/** Observers of the agents' tasks. */
export type AgentObserver = Pick<CallObserver, 'onCall' | 'processes' | 'trace'>;

/** Creates the tool for the runner's agents. Empty without agents. */
export function codingAgentTools(agents: AgentRunner, observer: AgentObserver = {}): readonly ServerTool[] {
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
        'Runs a coding agent on the repository, on a separate branch, and waits for its answer. The agent does not see this conversation: put all it needs into `task`. ' +
        'With `schema`, a JSON Schema, the answer is a value that fits it.',
      input,
      tellsWhenStopped: true,
      // A second call waits for the run of the first one.
      ...(agents.isDurable === true && { isDurable: true, idempotentHint: true }),
      run: async (asked, context) => runAgent({ agents, observer }, asked, context),
    }),
  ];
}

async function runAgent(
  { agents, observer }: { readonly agents: AgentRunner; readonly observer: AgentObserver },
  { agent, task, schema }: CodingTask,
  { chatId, ownerId, messageId, toolCallId, signal, whileWaiting, ...context }: ToolContext,
): Promise<ToolOutcome> {
  let branch: string | undefined;
  try {
    const output = schema === undefined ? {} : { output: { name: 'answer', schema: checked(schema) } };
    const work: AgentTask = {
      agent,
      prompt: task,
      signal,
      caller: {
        owner: ownerId,
        parent: { id: chatId, relation: 'chat' },
        taskId: idOfCall({ chatId, messageId, toolCallId }),
      },
      name: `${agent}-${chatId.slice(0, 8)}`,
      onBranch: (name) => {
        branch = name;
      },
      ...output,
    };
    const origin = { ownerId, chatId, ...traceOf(context) };
    const ask = (): Promise<AgentReply> => observedAgent(agents, work, { ...observer, origin, whileWaiting });
    // The turn only waits for a durable run, which can need its slot on this machine.
    const reply = await (agents.isDurable === true ? whileWaiting(ask) : ask());
    const answer = { ...answerOf(reply, schema !== undefined), ...workOf(reply) };
    return withUsage(toolSuccess(answer), reply.usage);
  } catch (error) {
    if (signal.aborted && branch !== undefined) return stopped(branch);
    if (!TruecastError.isInstance(error)) throw error;
    return withUsage(failed(error), usageOf(error));
  }
}

function withUsage(outcome: ToolOutcome, usage: Usage | undefined): ToolOutcome {
  return usage === undefined ? outcome : { ...outcome, usage };
}

/** Checks the schema. @throws SchemaError with the problem, before any agent starts */
function checked(schema: Record<string, unknown>): JsonSchema {
  // The compiler decides if it is a schema.
  const asked = schema as JsonSchema;
  jsonSchema(asked, { maxBytes: 65_536 });
  return asked;
}

/** The runner validated it. The verbatim text keeps digits that a parsed number would lose. */
function answerOf({ text }: AgentReply, isJson: boolean): Record<string, JsonValue> {
  const parsed = isJson ? parseJson(text) : undefined;
  if (parsed?.success !== true) return { answer: text };
  const isExact = canonicalJson(parsed.value) === text;
  return { answer: parsed.value as JsonValue, ...(!isExact && { answer_text: text }) };
}

function workOf({ work, runId }: AgentReply): Record<string, JsonValue> {
  const run = runId === undefined ? {} : { run_id: runId };
  if (work === undefined) return run;
  const { branch, commits, warnings } = work;
  return {
    ...run,
    branch,
    commits: [...commits],
    ...(warnings !== undefined && { warnings: [...warnings] }),
  };
}

function stopped(branch: string): ToolOutcome {
  return toolFailure(
    `The agent was stopped before it had an answer. Its work is kept on the branch \`${branch}\` and in its worktree. Inspect it before you repeat the task.`,
  );
}

function failed(error: TruecastError): ToolOutcome {
  return toolFailure([error.message, ...workOfFailure(error)].join('\n'));
}
