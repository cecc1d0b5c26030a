/** Notes of the operations on chats, messages and turns. */
import type { OperationNotes } from './operation-note.ts';
import {
  CHAT_EXAMPLE,
  FORMAT_EXAMPLE,
  MESSAGE_EXAMPLE,
  QUEUED_EXAMPLE,
  RECEIPT_EXAMPLE,
} from './example-views.ts';

const request_id: string = RECEIPT_EXAMPLE.request_id;
const IDLE_CHAT = { ...CHAT_EXAMPLE, status: 'waiting' } as const;

export const CHAT_NOTES: Readonly<Record<string, OperationNotes>> = {
  createChat: {
    tag: 'Chats',
    description:
      'Creates a chat and runs its first message. With a `response_format` of type `json_schema`, the turn succeeds only with a value that the schema accepts. Read the receipt by `request_id`, or follow the stream.',
    body: { content: 'Which file has the bug?', response_format: FORMAT_EXAMPLE },
    answer: { chat: CHAT_EXAMPLE, message: MESSAGE_EXAMPLE, request_id },
    problems: ['client_id_taken', 'too_many_turns', 'quota_exceeded', 'plan_mode'],
  },
  listChats: {
    tag: 'Chats',
    description:
      'Returns the chats of the token’s owner. `q` searches in titles, and `label=KEY:VALUE` returns the chats with this label. With `sort=updated`, the chat that changed last is the first. With `cost`, `duration` and `attempts`, the newest request of each chat that succeeded or failed decides the order, and chats without the number are left out. `direction=asc` starts with the oldest or smallest. `name` is the schema of one of its requests, `since` and `until` are times of creation, and `last_request_status` is the outcome of its newest request that succeeded or failed, and `min_cost_usd` its cost. `preview=true` adds the beginning of each chat’s newest validated value, and that newest request: its status, attempts, duration, cost and question, and after a failure `last_failure` and `first_issue`. Pass `next` of a page as `after` to get the next one.',
    answer: { chats: [IDLE_CHAT] },
  },
  readChat: {
    tag: 'Chats',
    description: 'Returns the state of a chat. `~CLIENT_ID` in place of the id reads it by `client_id`.',
    answer: CHAT_EXAMPLE,
  },
  patchChat: {
    tag: 'Chats',
    description:
      'Changes a chat. Members that are left out keep their value. A new model applies from the next step.',
    body: { title: 'The loop' },
    answer: { ...IDLE_CHAT, title: 'The loop' },
    problems: ['request_open'],
  },
  deleteChat: {
    tag: 'Chats',
    description: 'Deletes a chat at once, with its messages, values and schemas. This cannot be undone.',
  },
  sendMessage: {
    tag: 'Messages',
    description:
      'Sends the next message. While a turn runs, the message waits in the queue; with `busy_behavior: "interrupt"` it ends that turn.',
    body: { content: 'And who wrote it?' },
    answer: { queued_message: QUEUED_EXAMPLE },
    problems: ['queue_full', 'too_many_turns', 'quota_exceeded', 'client_id_taken', 'plan_mode'],
  },
  listMessages: {
    tag: 'Messages',
    description:
      'Returns the last messages, or those before or after an id. A page of long messages ends after 2 MiB: `has_more` tells whether there are further ones. For a live chat, follow its stream.',
    answer: { messages: [MESSAGE_EXAMPLE], has_more: false },
  },
  editMessage: {
    tag: 'Messages',
    description: 'Replaces a message of the user, removes all messages after it, and runs it.',
    body: { content: 'Which file has the bug, and where?' },
    answer: { message: { ...MESSAGE_EXAMPLE, id: 4 }, deleted_message_ids: [1, 2, 3] },
    problems: ['message_not_found', 'message_not_editable', 'too_many_turns', 'quota_exceeded', 'plan_mode'],
  },
  listQueue: {
    tag: 'Messages',
    description: 'Returns the messages that wait for the current turn to end.',
    answer: { queued_messages: [QUEUED_EXAMPLE] },
  },
  deleteQueued: {
    tag: 'Messages',
    description: 'Removes a waiting message. A message that already runs is not in the queue.',
    problems: ['queued_not_found'],
  },
  promoteQueued: {
    tag: 'Messages',
    description: 'Moves a waiting message to the front, and interrupts the current turn to run it.',
    answer: CHAT_EXAMPLE,
    problems: ['queued_not_found', 'not_allowed'],
  },
  interruptChat: {
    tag: 'Turn',
    description: 'Stops the current turn. Its request ends as canceled, and the streamed text is kept.',
    answer: { ...CHAT_EXAMPLE, status: 'interrupting' },
    problems: ['not_allowed'],
  },
  submitToolResults: {
    tag: 'Turn',
    description:
      'Answers the calls of tools that the client runs. The event `action_required` lists them, and the chat has the status `requires_action`.',
    body: { results: [{ tool_call_id: 'call_1', output: { text: 'for (let i = 0; i <= n; i++)' } }] },
    answer: CHAT_EXAMPLE,
    problems: [
      'not_allowed',
      'no_tool_results',
      'duplicate_tool_result',
      'missing_tool_result',
      'unexpected_tool_result',
      'invalid_tool_result',
    ],
  },
  compactChat: {
    tag: 'Turn',
    description:
      'Replaces the older messages in the model’s context by a summary. The messages stay readable.',
    answer: CHAT_EXAMPLE,
    problems: ['not_allowed', 'nothing_to_compact'],
  },
  readRequest: {
    tag: 'Requests',
    description:
      'Returns the receipt of a request. With `wait`, the response is sent when the receipt is final, or after that many seconds.',
    answer: RECEIPT_EXAMPLE,
    problems: ['request_not_found'],
  },
  streamChat: {
    tag: 'Stream',
    description:
      'Sends every change of a chat as server-sent events, from the first message on. Durable events have an id: send the last one in `Last-Event-ID` to continue. `part`, `partial` and `preview_reset` are hints without an id. With `partials=text`, no `partial` events are sent.',
    answer: { type: 'status', status: 'running', request_id, version: 3 },
  },
  streamChanges: {
    tag: 'Stream',
    description:
      'Sends every change of the token’s chats and requests as server-sent events: chats without tools and settings, requests without values. The first event is `ready`. If its `is_resumed` is false, read the lists after it. Send the id of the last event in `Last-Event-ID` to continue. Each event has the current state, so an event can repeat after a reconnect, and changes that follow each other fast are one event. With the scope `runs` it also sends each durable run whose status or phase changed. With the scope `project` it also sends each kept run of an agent that ended, and each ensemble run that started or ended.',
    answer: { type: 'chat_deleted', chat_id: CHAT_EXAMPLE.id },
  },
};
