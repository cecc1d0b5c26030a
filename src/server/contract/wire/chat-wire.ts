/** Wire format of chats and models. Pure. */
import { z } from 'zod';
import type { ChatStatus, DynamicTool } from '../rows.ts';
import { messageBodyShape } from './message-body-shape.ts';
import { messageViewSchema, type MessageBody, type MessageView } from './message-wire.ts';
import type { WireSchema } from '../wire-schema.ts';

/** A new chat with its first message. */
export interface CreateChatBody extends MessageBody {
  /** @default the server's default model */
  readonly model?: string;
  /** At most 200 characters. @default '' */
  readonly title?: string;
  /** At most 10,000 characters. */
  readonly system_prompt?: string;
  /** Client-side tools, at most 250. @default [] */
  readonly tools?: readonly DynamicTool[];
  /** Client-defined metadata. @default {} */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Changeable chat settings. Omitted ones stay. */
export interface PatchChatBody {
  readonly title?: string;
  readonly model?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Cannot be enabled while a request is open. */
  readonly plan_mode?: boolean;
}

/** Why a chat is in `error`, or why a model call is being retried. */
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
  /** The parent chat of a subagent's chat. */
  readonly parent_chat_id?: string;
  readonly queue_length: number;
  /** The request of the running turn. */
  readonly request_id?: string;
  readonly error?: ChatErrorView;
  /** Deadline for client tool results. In `error`, the time at which the head of the queue runs. */
  readonly action_deadline?: string;
  /** Increases with every change. */
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A created chat. */
export interface CreatedChatView {
  readonly chat: ChatView;
  readonly message: MessageView;
  /** Id for reading the receipt. Present if a `response_format` was sent. */
  readonly request_id?: string;
}

/** A page of chats, newest first. */
export interface ChatPageView {
  readonly chats: readonly ChatView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** A model for chats. */
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

/** Schema of a new chat. */
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

/** Schema of a chat change. */
export const patchChatBodySchema: WireSchema<PatchChatBody> = z
  .strictObject({
    title,
    model,
    settings: settings.exactOptional(),
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

/** Schema of a chat. */
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

/** Schema of a created chat. */
export const createdChatViewSchema: WireSchema<CreatedChatView> = z
  .strictObject({
    chat: chatViewSchema,
    message: messageViewSchema,
    request_id: z.string().exactOptional(),
  })
  .meta({ ref: 'CreatedChat' });

/** Schema of a page of chats. */
export const chatPageViewSchema: WireSchema<ChatPageView> = z
  .strictObject({ chats: z.array(chatViewSchema), next: z.string().exactOptional() })
  .meta({ ref: 'ChatPage' });

/** Schema of the list of models. */
export const modelListViewSchema: WireSchema<{ readonly models: readonly ModelView[] }> = z
  .strictObject({
    models: z.array(z.strictObject({ id: z.string(), is_default: z.boolean() }).meta({ ref: 'Model' })),
  })
  .meta({ ref: 'ModelList' });
