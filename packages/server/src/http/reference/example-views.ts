/** Examples of resources on the wire, for the API reference. Each is valid under its schema. */
import type { ChangesView } from '@truecast/client/internal/wire/changes';
import type { TokenView } from '@truecast/client/internal/wire/account';
import type { ChatView } from '@truecast/client/internal/wire/chat';
import type { MessageView, QueuedView } from '@truecast/client/internal/wire/message';
import type { Receipt } from '@truecast/client/internal/wire/receipt';
import type { RequestDetailView, RequestView } from '@truecast/client/internal/wire/request';
import type { JsonSchemaFormat } from '@truecast/client/internal/wire/response-format';

const CHAT_ID = '0f8c2a9e-4f0e-4d1b-9f7e-2a6f1c3d5b70';
const REQUEST_ID = 'b1d7c6f0-3a52-4c1e-8f4d-90e2ab61d7c3';
const AT = '2026-11-23T12:04:29.120Z';
const SEALED_AT = '2026-11-23T12:04:31.480Z';

export const FORMAT_EXAMPLE: JsonSchemaFormat = {
  type: 'json_schema',
  json_schema: {
    name: 'bug',
    schema: {
      type: 'object',
      properties: { file: { type: 'string' }, line: { type: 'integer', minimum: 1 } },
      required: ['file', 'line'],
    },
  },
};

const LIMITS = { text_only: 3, max_repairs: 3, deadline_seconds: 600 };
const SCHEMA_TEXT: string = JSON.stringify(FORMAT_EXAMPLE.json_schema.schema);

/** A chat whose answer is being written. */
export const CHAT_EXAMPLE: ChatView = {
  id: CHAT_ID,
  title: 'Which file has the bug?',
  status: 'running',
  model: 'scripted:demo',
  plan_mode: false,
  tools: [],
  settings: {},
  queue_length: 0,
  request_id: REQUEST_ID,
  version: 3,
  turn_version: 1,
  created_at: AT,
  updated_at: AT,
};

/** The first message of the chat. */
export const MESSAGE_EXAMPLE: MessageView = {
  id: 1,
  chat_id: CHAT_ID,
  role: 'user',
  content: [
    { type: 'text', text: 'Which file has the bug?' },
    {
      type: 'response_format',
      request_id: REQUEST_ID,
      name: 'bug',
      schema_text: SCHEMA_TEXT,
      limits: LIMITS,
    },
  ],
  request_id: REQUEST_ID,
  is_compressed: false,
  created_at: AT,
};

/** A message in the queue. */
export const QUEUED_EXAMPLE: QueuedView = {
  id: 2,
  chat_id: CHAT_ID,
  content: [{ type: 'text', text: 'And who wrote it?' }],
  created_at: AT,
};

const MODEL_USAGE = {
  input_tokens: 345,
  output_tokens: 28,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

const RECEIPT: Omit<Receipt, 'value' | 'value_text'> = {
  request_id: REQUEST_ID,
  status: 'succeeded',
  value_hash: '1b3f9a3ed2f4bb3bd6b2f2bb1e6a6a7a4a2a7a0b5c2ed4b8a0f1c2d3e4f50617',
  schema_hash: 'c80d3db1bde5d3dd8b5bc8ba2d899566f65df7c98d514e3f14b83fa4579ee012',
  mode: 'tool',
  attempts: [
    {
      code: 'invalid',
      mode: 'tool',
      issues: [{ path: '/line', rule: 'Expected integer' }],
      message_id: 2,
      at: '2026-11-23T12:04:30.510Z',
      duration_ms: 1_340,
      usage: MODEL_USAGE,
    },
    {
      code: 'ok',
      mode: 'tool',
      message_id: 4,
      at: '2026-11-23T12:04:31.470Z',
      duration_ms: 950,
      usage: MODEL_USAGE,
    },
  ],
  model: 'scripted:demo',
  dialect: 'openai',
  usage: {
    input_tokens: 690,
    output_tokens: 56,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  },
  duration_ms: 2_360,
  message_id: 1,
  created_at: AT,
  started_at: AT,
  ended_at: SEALED_AT,
};

/** A receipt with its value. */
export const RECEIPT_EXAMPLE: Receipt = {
  ...RECEIPT,
  value: { file: 'src/loop.ts', line: 42 },
  value_text: '{"file":"src/loop.ts","line":42}',
};

/** The same request in a list. */
export const REQUEST_EXAMPLE: RequestView = {
  ...RECEIPT,
  chat_id: CHAT_ID,
  created_at: AT,
};

/** A request with its receipt and its schema. */
export const REQUEST_DETAIL_EXAMPLE: RequestDetailView = {
  request: REQUEST_EXAMPLE,
  receipt: RECEIPT_EXAMPLE,
  schema_text: SCHEMA_TEXT,
};

/** An access token in a list. */
export const TOKEN_EXAMPLE: TokenView = {
  id: 'tok_7f3a',
  owner: 'build',
  name: 'nightly build',
  scopes: ['chats'],
  created_at: AT,
};

/** What the commit of a run changed. */
export const CHANGES_EXAMPLE: ChangesView = {
  commits: [
    {
      id: '205becc0a4b0b0f3f4c1f2f7a1c95d2f5e6a7b8c',
      subject: 'Stop the loop at the last item',
      at: '2026-11-23T12:00:38.000Z',
      added: 1,
      removed: 1,
    },
  ],
  missing_commits: 0,
  files: [
    {
      path: 'src/parser.ts',
      change: 'modified',
      old_bytes: 812,
      new_bytes: 811,
      added: 1,
      removed: 1,
      hunks: [
        {
          old_start: 42,
          new_start: 42,
          heading: 'export function parseItems(source: string): Item[] {',
          lines: [
            '-  for (let i = 0; i <= items.length; i++) {',
            '+  for (let i = 0; i < items.length; i++) {',
          ],
        },
      ],
      omitted_lines: 0,
    },
  ],
  omitted_files: 0,
};
