/** Owns the wire form of chats, and of the models that they run on. Pure. */
import { z } from 'zod';
import type { ChatStatus, DynamicTool } from '../rows.ts';
import { messageBodyShape } from './message-body-shape.ts';
import { messageViewSchema, type MessageBody, type MessageView } from './message-wire.ts';
import type { WireSchema } from '../wire-schema.ts';

/** A chat to create, with its first message. */
export interface CreateChatBody extends MessageBody {
  /** @default the server's default model */
  readonly model?: string;
  /** At most 200 characters. @default '' */
  readonly title?: string;
  /** At most 10,000 characters. */
  readonly system_prompt?: string;
  /** Tools that the client runs, at most 250. @default [] */
  readonly tools?: readonly DynamicTool[];
  /** Whatever the client wants to keep with the chat. @default {} */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What of a chat may be set; what is left out stays. */
export interface PatchChatBody {
  readonly title?: string;
  readonly model?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Cannot be turned on while a request is open. */
  readonly plan_mode?: boolean;
}

/** Why a chat is in `error`, or why a call of its model is made again. */
export interface ChatErrorView {
  readonly kind: string;
  readonly message: string;
  readonly is_retryable: boolean;
  readonly status_code?: number;
}

/** A chat. */
export interface ChatView {
  readonly id: string;
  readonly title: string;
  readonly status: ChatStatus;
  readonly model: string;
  readonly plan_mode: boolean;
  readonly system_prompt?: string;
  readonly tools: readonly DynamicTool[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** The chat whose agent made this one to work for it. */
  readonly parent_chat_id?: string;
  readonly queue_length: number;
  /** The request whose turn is under way. */
  readonly request_id?: string;
  readonly error?: ChatErrorView;
  /** Until when results of the client's tools are waited for; in `error`, when the head of the queue runs. */
  readonly action_deadline?: string;
  /** Grows with every change. */
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A chat that was created. */
export interface CreatedChatView {
  readonly chat: ChatView;
  readonly message: MessageView;
  /** To read the receipt with; where a `response_format` was sent. */
  readonly request_id?: string;
}

/** A page of chats, the newest first. */
export interface ChatPageView {
  readonly chats: readonly ChatView[];
  /** `after` of the next page; absent on the last one. */
  readonly next?: string;
}

/** A model that chats can run on. */
export interface ModelView {
  readonly id: string;
  readonly is_default: boolean;
}

const title = z.string().max(200).exactOptional();
const settings = z.record(z.string(), z.unknown());
const model = z.string().min(1).max(200).exactOptional();
const time = z.string().meta({ format: 'date-time' });
const tool: WireSchema<DynamicTool> = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/u, 'Expected 1 to 64 letters, digits, underscores and hyphens'),
    description: z.string().max(10_000).exactOptional(),
    input_schema: z.record(z.string(), z.unknown()),
  })
  .meta({ ref: 'DynamicTool' });

/** Reads a chat to create. */
export const createChatBodySchema: WireSchema<CreateChatBody> = z
  .strictObject({
    ...messageBodyShape,
    model,
    title,
    system_prompt: z.string().max(10_000).exactOptional(),
    tools: z.array(tool).max(250).exactOptional(),
    settings: settings.exactOptional(),
  })
  .meta({ ref: 'CreateChat' });

/** Reads a change of a chat. */
export const patchChatBodySchema: WireSchema<PatchChatBody> = z
  .strictObject({
    title,
    model,
    settings: settings.exactOptional(),
    plan_mode: z.boolean().exactOptional(),
  })
  .meta({ ref: 'PatchChat' });

/** Describes why a chat is in `error`. */
export const chatErrorViewSchema: WireSchema<ChatErrorView> = z
  .strictObject({
    kind: z.string(),
    message: z.string(),
    is_retryable: z.boolean(),
    status_code: z.int().exactOptional(),
  })
  .meta({ ref: 'ChatError' });

/** Describes a chat's status. */
export const chatStatusSchema: WireSchema<ChatStatus> = z.enum([
  'waiting',
  'running',
  'interrupting',
  'requires_action',
  'error',
]);

/** Describes a chat. */
export const chatViewSchema: WireSchema<ChatView> = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    status: chatStatusSchema,
    model: z.string(),
    plan_mode: z.boolean(),
    system_prompt: z.string().exactOptional(),
    tools: z.array(tool),
    settings,
    parent_chat_id: z.string().exactOptional(),
    queue_length: z.int(),
    request_id: z.string().exactOptional(),
    error: chatErrorViewSchema.exactOptional(),
    action_deadline: time.exactOptional(),
    version: z.int(),
    created_at: time,
    updated_at: time,
  })
  .meta({ ref: 'Chat' });

/** Describes a chat that was created. */
export const createdChatViewSchema: WireSchema<CreatedChatView> = z
  .strictObject({
    chat: chatViewSchema,
    message: messageViewSchema,
    request_id: z.string().exactOptional(),
  })
  .meta({ ref: 'CreatedChat' });

/** Describes a page of chats. */
export const chatPageViewSchema: WireSchema<ChatPageView> = z
  .strictObject({ chats: z.array(chatViewSchema), next: z.string().exactOptional() })
  .meta({ ref: 'ChatPage' });

/** Describes the list of models. */
export const modelListViewSchema: WireSchema<{ readonly models: readonly ModelView[] }> = z
  .strictObject({
    models: z.array(z.strictObject({ id: z.string(), is_default: z.boolean() }).meta({ ref: 'Model' })),
  })
  .meta({ ref: 'ModelList' });
