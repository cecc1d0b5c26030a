/** Chat routes. */
import { clip } from '@truecast/core/internal/kit/describe-value';
import { z } from 'zod';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { labelParameter } from '../../contract/chat-labels.ts';
import type { DynamicTool } from '../../contract/rows.ts';
import { createChatBodySchema, patchChatBodySchema } from '../../contract/message-bodies.ts';
import { toZod } from '../../contract/to-zod.ts';
import {
  chatStatus,
  chatView,
  createdChatView,
  listedChatPageView,
  type CreateChatBody,
  type CreatedChatView,
} from '@truecast/client/internal/wire/chat';
import type { InputPart } from '@truecast/client/internal/wire/message-parts';
import { reservedNameProblem } from '../../finalizer/protect-name.ts';
import { unknownModel } from '../../models/unknown-model.ts';
import type { NewMessage } from '../../state/rows/append-messages.ts';
import type { CreatedChat, NewChat } from '../../state/rows/new-chat-row.ts';
import { answerOnce } from '../idempotent.ts';
import { requestIdOf, toNewMessage } from '../new-message.ts';
import {
  costParameter,
  listDirection,
  pageCursor,
  pageLimit,
  searchText,
  timeParameter,
} from '../read-query.ts';
import { chatIdOf, defineRoute, refuseField, type Call, type JsonAnswer, type HttpRoute } from '../route.ts';
import type { ServerModels } from '../server-parts.ts';
import { toAcceptedMessage, toChatView, toListedChatView } from '../views.ts';

/** Default title of a chat in a list. */
const TITLE_CHARS = 80;

const listQuery = z.strictObject({
  limit: pageLimit,
  after: pageCursor,
  status: toZod(chatStatus).exactOptional(),
  model: z.string().min(1).exactOptional(),
  // Text in the title.
  q: searchText.exactOptional(),
  label: labelParameter.exactOptional(),
  last_request_status: z.enum(['succeeded', 'failed']).exactOptional(),
  // Name of the schema of one of its requests.
  name: z.string().min(1).exactOptional(),
  since: timeParameter.exactOptional(),
  until: timeParameter.exactOptional(),
  // Cost of its newest request that succeeded or failed, as in the orders by a number.
  min_cost_usd: costParameter.exactOptional(),
  sort: z.enum(['created', 'updated', 'cost', 'duration', 'attempts']).default('created'),
  direction: listDirection,
  // Adds the beginning of the newest value of each chat, and its newest request that succeeded or failed.
  preview: z.stringbool().default(false),
});

const ANSWER_CHAT = { status: 200, description: 'The chat', schema: toZod(chatView) };

/** The routes, in documentation order. */
export const CHAT_ROUTES: readonly HttpRoute[] = [
  defineRoute<CreateChatBody>({
    method: 'post',
    path: '/api/chats',
    operationId: 'createChat',
    summary: 'Create a chat with its first message, which runs at once',
    body: createChatBodySchema,
    takesIdempotencyKey: true,
    answer: { status: 201, description: 'The chat and its first message', schema: toZod(createdChatView) },
    handle: createChat,
  }),
  defineRoute<Record<string, never>, z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/chats',
    operationId: 'listChats',
    summary: 'List chats, the newest first',
    query: listQuery,
    answer: { status: 200, description: 'A page of chats', schema: toZod(listedChatPageView) },
    async handle({ parts, owner, query }) {
      const { preview, since, until, last_request_status: lastRequestStatus, ...named } = query;
      const { min_cost_usd: minCostUsd, ...filter } = named;
      const { chats, next } = await parts.machine.listChats({
        owner,
        ...filter,
        hasPreview: preview,
        ...(lastRequestStatus !== undefined && { lastRequestStatus }),
        ...(minCostUsd !== undefined && { minCostUsd }),
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(until !== undefined && { until: Date.parse(until) }),
      });
      return {
        status: 200,
        body: { chats: chats.map(toListedChatView), ...(next !== undefined && { next }) },
      };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/chats/:id',
    operationId: 'readChat',
    summary: 'Read a chat',
    answer: ANSWER_CHAT,
    async handle(call) {
      const chat = await call.parts.machine.readChat({ owner: call.owner, chatId: chatIdOf(call) });
      return { status: 200, body: toChatView(chat) };
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/chats/:id',
    operationId: 'patchChat',
    summary: 'Set the title, model, settings, labels, system prompt, tools or plan mode of a chat',
    body: patchChatBodySchema,
    answer: ANSWER_CHAT,
    async handle(call) {
      const { machine, models } = call.parts;
      const { plan_mode: planMode, system_prompt: systemPrompt, tools, ...patch } = call.body.value;
      const chat = { owner: call.owner, chatId: chatIdOf(call) };
      // A missing chat is reported before its model or tools are checked.
      if (patch.model !== undefined || tools !== undefined) await machine.readChat(chat);
      if (patch.model !== undefined) assertModel(models, patch.model);
      assertToolNames(tools ?? []);
      const patched = await machine.patchChat({
        ...chat,
        ...patch,
        ...(planMode !== undefined && { planMode }),
        ...(systemPrompt !== undefined && { systemPrompt }),
        ...(tools !== undefined && { dynamicTools: tools }),
      });
      return { status: 200, body: toChatView(patched) };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/chats/:id',
    operationId: 'deleteChat',
    summary: 'Delete a chat with its values and schemas; open requests end as canceled',
    answer: { status: 204, description: 'It is gone' },
    async handle(call) {
      const actor = `token:${call.token.id}`;
      await call.parts.machine.deleteChat({ owner: call.owner, chatId: chatIdOf(call), actor });
      return { status: 204 };
    },
  }),
];

function createChat(call: Call<CreateChatBody, unknown>): Promise<JsonAnswer | Response> {
  return answerOnce<CreatedChat>(call, async () => {
    const { machine, models } = call.parts;
    const { value } = call.body;
    const { model = models.default, tools = [], system_prompt: systemPrompt, settings, labels } = value;
    assertModel(models, model);
    assertToolNames(tools);
    const planMode = value.plan_mode ?? false;
    const { planMode: _chats, ...message } = toNewMessage(call, {
      planMode,
      clientId: value.message_client_id,
    });
    const chat: NewChat = {
      owner: call.owner,
      message,
      model,
      title: value.title ?? titleOf(value.content),
      dynamicTools: tools,
      planMode,
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(settings !== undefined && { settings }),
      ...(labels !== undefined && { labels }),
      ...(value.client_id !== undefined && { clientId: value.client_id }),
    };
    return {
      change: (idempotency) => machine.createChat({ ...chat, ...idempotency }),
      answer: (created) => ({ status: 201, body: toCreatedView(created, message) }),
    };
  });
}

function toCreatedView({ chat, messageId }: CreatedChat, message: NewMessage): CreatedChatView {
  return {
    chat: toChatView(chat),
    message: toAcceptedMessage({ id: messageId, chat, message }),
    ...requestIdOf(message),
  };
}

function assertModel(models: ServerModels, model: string): void {
  const known = models.list();
  if (!known.includes(model)) throw refuseField('model', unknownModel(model, known, '/api/models'));
}

function assertToolNames(tools: readonly DynamicTool[]): void {
  const reserved = reservedNameProblem(tools);
  if (reserved !== undefined) throw refuseField(reserved.field, reserved.detail, reserved.pointer);
  const problems = tools
    .map(({ name }, index) => ({ name, index }))
    .filter(({ name, index }) => tools.findIndex((tool) => tool.name === name) !== index)
    .map(({ index }) => ({
      field: 'tools',
      detail: 'Has the name of another tool. Rename one.',
      pointer: `/${index}/name`,
    }));
  if (problems.length === 0) return;
  throw new RequestRefusedError('`tools`: two tools have one name. Rename one.', {
    code: 'invalid-body',
    problems,
  });
}

function titleOf(content: string | readonly InputPart[]): string {
  const text =
    typeof content === 'string' ? content : (content.find((part) => part.type === 'text')?.text ?? '');
  const [line = ''] = text.trim().split('\n');
  return clip(line.trim(), TITLE_CHARS);
}
