/** Owns the tools by which a chat has others work for it: children, each a chat of the same owner, whose answer may be held to a schema. */
import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../../schema/canonical-json.ts';
import type { JsonValue } from '../../schema/json-value.ts';
import { parseResponseFormat } from '../format/parse-response-format.ts';
import { toFormatPart } from '../format/stored-format.ts';
import type { NewMessage } from '../state/append-messages.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Chat } from '../state/chat-records.ts';
import { defineTool } from './define-tool.ts';
import {
  toolFailure,
  toolSuccess,
  type ServerTool,
  type ToolContext,
  type ToolOutcome,
} from './server-tool.ts';

const LIMITS = { text_only: 5, max_repairs: 5 };
const DEFAULT_WAIT_SECONDS = 300;

/** The tools for one chat; none for a chat that is a child itself. */
export function agentTools(machine: ChatMachine, { parentId, model }: Chat): readonly ServerTool[] {
  if (parentId !== undefined) return [];
  return [spawnAgent(machine, model), messageAgent(machine), waitAgent(machine)];
}

function spawnAgent(machine: ChatMachine, model: string): ServerTool {
  return defineTool({
    name: 'spawn_agent',
    description:
      'Has another agent work on a prompt while you go on. It sees nothing of this conversation. Returns its chat_id for wait_agent.',
    input: z.strictObject({ prompt: z.string().min(1), response_format: z.unknown().optional() }),
    run: async ({ prompt, response_format }, { chatId, ownerId }) => {
      const message = toMessage(prompt, response_format);
      if (typeof message === 'string') return toolFailure(message);
      const { chat } = await machine.createChat({
        owner: ownerId,
        model,
        message,
        parentId: chatId,
      });
      return toolSuccess({ chat_id: chat.id });
    },
  });
}

function messageAgent(machine: ChatMachine): ServerTool {
  return defineTool({
    name: 'message_agent',
    description: 'Says more to an agent that you spawned; it is read after what the agent does now.',
    input: z.strictObject({ chat_id: z.string(), message: z.string().min(1) }),
    run: async ({ chat_id, message }, context) => {
      if ((await findChild(machine, chat_id, context)) === undefined) return NOT_YOURS;
      const parts = [{ type: 'text' as const, text: message }];
      const sent = { owner: context.ownerId, chatId: chat_id, message: { parts } };
      await machine.sendMessage({ ...sent, busyBehavior: 'queue' });
      return toolSuccess({ chat_id });
    },
  });
}

function waitAgent(machine: ChatMachine): ServerTool {
  return defineTool({
    name: 'wait_agent',
    description:
      'Waits until an agent that you spawned has ended, and returns its report, or the value that it was held to.',
    isReadOnly: true,
    isIdempotent: true,
    input: z.strictObject({ chat_id: z.string(), timeout_seconds: z.number().min(0).max(3_600).optional() }),
    run: async ({ chat_id, timeout_seconds = DEFAULT_WAIT_SECONDS }, context) => {
      if ((await findChild(machine, chat_id, context)) === undefined) return NOT_YOURS;
      await context.whileWaiting(() => untilIdle(machine, chat_id, context, timeout_seconds * 1_000));
      return report(machine, chat_id, context);
    },
  });
}

const NOT_YOURS = toolFailure('There is no such agent. Give the chat_id that spawn_agent returned.');

async function findChild(
  machine: ChatMachine,
  chatId: string,
  context: ToolContext,
): Promise<Chat | undefined> {
  const chat = await machine.readChat({ owner: context.ownerId, chatId }).catch(() => undefined);
  return chat?.parentId === context.chatId ? chat : undefined;
}

/** Resolves at the end, at the timeout, or when the turn stops. */
async function untilIdle(
  machine: ChatMachine,
  chatId: string,
  { ownerId, signal }: ToolContext,
  timeoutMs: number,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const look = (): void => {
    void machine.readChat({ owner: ownerId, chatId }).then(
      ({ status, queueLength }) => {
        if (status === 'error' || (status === 'waiting' && queueLength === 0)) ended.resolve();
      },
      () => ended.resolve(),
    );
  };
  const stop = (): void => ended.resolve();
  const forget = machine.onChat(chatId, look);
  const timer = setTimeout(stop, timeoutMs);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  look();
  await ended.promise;
  forget();
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}

async function report(machine: ChatMachine, chatId: string, { ownerId }: ToolContext): Promise<ToolOutcome> {
  const { status, error, queueLength } = await machine.readChat({ owner: ownerId, chatId });
  const isOver = status === 'error' || (status === 'waiting' && queueLength === 0);
  if (!isOver) return toolSuccess({ chat_id: chatId, status, timed_out: true });
  const { messages } = await machine.loadTurn(chatId);
  const requestId = messages.findLast(
    ({ role, visibility }) => role === 'user' && visibility === 'all',
  )?.requestId;
  if (requestId !== undefined) {
    const { receipt } = await machine.readRequest({ owner: ownerId, requestId });
    const value: JsonValue | undefined = receipt.value;
    if (receipt.status === 'succeeded' && value !== undefined)
      return toolSuccess({ chat_id: chatId, status: 'succeeded', value });
    return toolFailure(`The agent gave no answer that fits. ${receipt.error?.message ?? ''}`.trim());
  }
  if (error !== undefined) return toolFailure(error.message);
  const last = messages.findLast(({ role, visibility }) => role === 'assistant' && visibility === 'all');
  const text = last?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
  return toolSuccess({ chat_id: chatId, status: 'ended', report: text });
}

/** Returns what is wrong with the format, where it is none. */
function toMessage(prompt: string, format: unknown): NewMessage | string {
  const parts = [{ type: 'text' as const, text: prompt }];
  if (format === undefined) return { parts };
  const parsed = parseResponseFormat(JSON.stringify(format), { field: 'response_format', wire: 'chat' });
  if (parsed.type === 'text') return { parts };
  if (parsed.type === 'refused')
    return parsed.problems.map(({ field, detail }) => `${field}: ${detail}`).join('\n');
  const part = toFormatPart(parsed.format, { requestId: randomUUID(), limits: LIMITS });
  const schemaHash = createHash('sha256').update(canonicalJson(parsed.format.schema)).digest('hex');
  return { parts, request: { format: part, schemaHash } };
}
