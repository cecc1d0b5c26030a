/** Zod schemas of chats and models on the wire. Pure. */
import { z } from 'zod';
import type {
  ChatErrorView,
  ChatStatus,
  ChatView,
  CreateChatBody,
  CreatedChatView,
  DynamicTool,
  ListedChatPageView,
  ListedChatView,
  ModelView,
  PatchChatBody,
} from '@truecast/client/internal/wire/chat';
import type { ChatSummaryView } from '@truecast/client/internal/wire/owner-stream';
import { chatLabelsSchema } from '../chat-labels.ts';
import { clientIdSchema, messageBodyShape } from './message-body-shape.ts';
import { messageViewSchema } from './message-wire.ts';
import { modeSchema, requestErrorSchema } from '../receipt.ts';
import { timeSchema } from '../time-schema.ts';
import { DIALECT_NAMES } from '../wire-codes.ts';
import type { WireSchema } from '../wire-schema.ts';

export type {
  ChatErrorView,
  ChatPageView,
  ChatView,
  CreateChatBody,
  CreatedChatView,
  ListedChatView,
  ModelView,
} from '@truecast/client/internal/wire/chat';

const title = z.string().max(200).exactOptional();
const settings = z.record(z.string(), z.unknown());
const model = z.string().min(1).max(200).exactOptional();
const tool: WireSchema<DynamicTool> = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/u, 'Expected 1 to 64 letters, digits, underscores and hyphens'),
    description: z.string().max(10_000).exactOptional(),
    input_schema: z.record(z.string(), z.unknown()),
  })
  .meta({ ref: 'DynamicTool' });

const systemPrompt = z.string().max(10_000).exactOptional();
const tools = z.array(tool).max(250).exactOptional();

/** Schema of a new chat. */
export const createChatBodySchema: WireSchema<CreateChatBody> = z
  .strictObject({
    ...messageBodyShape,
    client_id: clientIdSchema.exactOptional(),
    message_client_id: clientIdSchema.exactOptional(),
    model,
    title,
    system_prompt: systemPrompt,
    tools,
    settings: settings.exactOptional(),
    labels: chatLabelsSchema.exactOptional(),
  })
  .meta({ ref: 'CreateChat' });

/** Schema of a chat change. */
export const patchChatBodySchema: WireSchema<PatchChatBody> = z
  .strictObject({
    title,
    model,
    settings: settings.exactOptional(),
    labels: chatLabelsSchema.exactOptional(),
    system_prompt: systemPrompt,
    tools,
    plan_mode: z.boolean().exactOptional(),
  })
  .meta({ ref: 'PatchChat' });

/** Schema of a chat's error. */
export const chatErrorViewSchema: WireSchema<ChatErrorView> = z
  .strictObject({
    kind: z.string(),
    message: z.string(),
    is_retryable: z.boolean(),
    status_code: z.int().exactOptional(),
  })
  .meta({ ref: 'ChatError' });

/** Schema of a chat's status. */
export const chatStatusSchema: WireSchema<ChatStatus> = z.enum([
  'waiting',
  'running',
  'interrupting',
  'requires_action',
  'error',
]);

/** Members of a chat without its tools and settings. */
const CHAT_FACTS = {
  id: z.string(),
  client_id: z.string().exactOptional(),
  title: z.string(),
  status: chatStatusSchema,
  model: z.string(),
  plan_mode: z.boolean(),
  system_prompt: z.string().exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
  parent_chat_id: z.string().exactOptional(),
  queue_length: z.int(),
  request_id: z.string().exactOptional(),
  error: chatErrorViewSchema.exactOptional(),
  action_deadline: timeSchema.exactOptional(),
  version: z.int(),
  turn_version: z.int(),
  created_at: timeSchema,
  updated_at: timeSchema,
};

/** Schema of a chat. */
export const chatViewSchema: WireSchema<ChatView> = z
  .strictObject({ ...CHAT_FACTS, tools: z.array(tool), settings })
  .meta({ ref: 'Chat' });

/** Schema of a chat in the stream of an owner. */
export const chatSummaryViewSchema: WireSchema<ChatSummaryView> = z
  .strictObject(CHAT_FACTS)
  .meta({ ref: 'ChatSummary' });

/** Schema of a created chat. */
export const createdChatViewSchema: WireSchema<CreatedChatView> = z
  .strictObject({
    chat: chatViewSchema,
    message: messageViewSchema,
    request_id: z.string().exactOptional(),
  })
  .meta({ ref: 'CreatedChat' });

const listedChatViewSchema: WireSchema<ListedChatView> = z
  .strictObject({
    ...CHAT_FACTS,
    tools: z.array(tool),
    settings,
    value_preview: z.string().exactOptional(),
    last_failure: requestErrorSchema.exactOptional(),
  })
  .meta({ ref: 'ListedChat' });

/** Schema of a page of chats. */
export const chatPageViewSchema: WireSchema<ListedChatPageView> = z
  .strictObject({ chats: z.array(listedChatViewSchema), next: z.string().exactOptional() })
  .meta({ ref: 'ChatPage' });

const modelViewSchema: WireSchema<ModelView> = z
  .strictObject({
    id: z.string(),
    is_default: z.boolean(),
    provider: z.string(),
    is_scripted: z.boolean(),
    mode: modeSchema.exactOptional(),
    dialect: z.enum(Object.values(DIALECT_NAMES)),
    context_tokens: z.int().exactOptional(),
  })
  .meta({ ref: 'Model' });

/** Schema of the list of models. */
export const modelListViewSchema: WireSchema<{ readonly models: readonly ModelView[] }> = z
  .strictObject({
    models: z.array(modelViewSchema),
  })
  .meta({ ref: 'ModelList' });
