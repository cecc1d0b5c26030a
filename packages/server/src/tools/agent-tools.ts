/** Subagent tools: child chats of the same owner, whose answers can have a schema. */
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { parseResponseFormat } from '../format/parse-response-format.ts';
import { toFormatPart } from '../format/stored-format.ts';
import type { NewMessage } from '../state/rows/append-messages.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Chat } from '../state/rows/chat-records.ts';
import { idOfCall } from '../state/client-ids/derived-id.ts';
import { traceOf } from '@truecast/model/internal/telemetry/traceparent';
import { isIdle, report, untilIdle } from './agent-report.ts';
import { defineTool } from './define-tool.ts';
import { toolFailure, toolSuccess, type ServerTool, type ToolContext } from './server-tool.ts';

const LIMITS = { text_only: 5, max_repairs: 5 };
const DEFAULT_WAIT_SECONDS = 300;
/** Maximum length of a prompt in a list. */
const TITLE_CHARS = 80;

/** Returns the tools for one chat. None for a child chat. */
export function agentTools(machine: ChatMachine, { parentId, model }: Chat): readonly ServerTool[] {
  if (parentId !== undefined) return [];
  return [spawnAgent(machine, model), messageAgent(machine), waitAgent(machine), listAgents(machine)];
}

function spawnAgent(machine: ChatMachine, model: string): ServerTool {
  return defineTool({
    name: 'spawn_agent',
    description:
      'Starts another agent on a prompt while you continue. The agent does not see this conversation. Returns its chat_id for wait_agent.',
    idempotentHint: true,
    input: z.strictObject({ prompt: z.string().min(1), response_format: z.unknown().optional() }),
    run: async ({ prompt, response_format }, context) => {
      const made = toMessage(prompt, response_format);
      if (typeof made === 'string') return toolFailure(made);
      // A subagent's turn continues the parent's trace.
      const message = { ...made, ...traceOf(context) };
      const id = idOfCall(context);
      // The child was created by this call before a crash.
      if ((await findChild(machine, id, context)) !== undefined) return toolSuccess({ chat_id: id });
      const { ownerId: owner, chatId: parentId } = context;
      const title = prompt.replaceAll(/\s+/gu, ' ').slice(0, TITLE_CHARS).toWellFormed();
      await machine.createChat({ id, owner, model, message, title, parentId });
      return toolSuccess({ chat_id: id });
    },
  });
}

function messageAgent(machine: ChatMachine): ServerTool {
  return defineTool({
    name: 'message_agent',
    description: 'Sends a message to an agent that you spawned. The agent reads it after its current work.',
    input: z.strictObject({ chat_id: z.string(), message: z.string().min(1) }),
    run: async ({ chat_id, message }, context) => {
      if ((await findChild(machine, chat_id, context)) === undefined) return NOT_YOURS;
      const parts = [{ type: 'text' as const, text: message }];
      const sent = { owner: context.ownerId, chatId: chat_id, message: { parts, ...traceOf(context) } };
      await machine.sendMessage({ ...sent, busyBehavior: 'queue' });
      return toolSuccess({ chat_id });
    },
  });
}

function waitAgent(machine: ChatMachine): ServerTool {
  return defineTool({
    name: 'wait_agent',
    description:
      'Waits until an agent that you spawned has ended, and returns its report, or its validated value.',
    readOnlyHint: true,
    idempotentHint: true,
    input: z.strictObject({ chat_id: z.string(), timeout_seconds: z.number().min(0).max(3_600).optional() }),
    run: async ({ chat_id, timeout_seconds = DEFAULT_WAIT_SECONDS }, context) => {
      if ((await findChild(machine, chat_id, context)) === undefined) return NOT_YOURS;
      await context.whileWaiting(() => untilIdle(machine, chat_id, context, timeout_seconds * 1_000));
      return report(machine, chat_id, context);
    },
  });
}

function listAgents(machine: ChatMachine): ServerTool {
  return defineTool({
    name: 'list_agents',
    description: 'Lists the agents that you spawned, the oldest first, with the beginning of their prompts.',
    readOnlyHint: true,
    idempotentHint: true,
    input: z.strictObject({}),
    run: async (_input, { chatId, ownerId }) => {
      const children = await machine.listChildren({ owner: ownerId, chatId });
      return toolSuccess(
        children.map((chat) => ({
          chat_id: chat.id,
          status: chat.status === 'error' ? 'failed' : isIdle(chat) ? 'ended' : 'running',
          prompt: chat.title,
        })),
      );
    },
  });
}

const NOT_YOURS = toolFailure('There is no such agent. Pass the chat_id that spawn_agent returned.');

async function findChild(
  machine: ChatMachine,
  chatId: string,
  context: ToolContext,
): Promise<Chat | undefined> {
  const chat = await machine.readChat({ owner: context.ownerId, chatId }).catch(() => undefined);
  return chat?.parentId === context.chatId ? chat : undefined;
}

/** Returns the problem of an invalid format. */
function toMessage(prompt: string, format: unknown): NewMessage | string {
  const parts = [{ type: 'text' as const, text: prompt }];
  if (format === undefined) return { parts };
  const parsed = parseResponseFormat(JSON.stringify(format), { field: 'response_format', wire: 'chat' });
  if (parsed.type === 'text') return { parts };
  if (parsed.type === 'refused') {
    return parsed.problems.map(({ field, detail }) => `${field}: ${detail}`).join('\n');
  }
  const part = toFormatPart(parsed.format, { requestId: randomUUID(), limits: LIMITS });
  const schemaHash = createHash('sha256').update(canonicalJson(parsed.format.schema)).digest('hex');
  return { parts, request: { format: part, schemaHash } };
}
