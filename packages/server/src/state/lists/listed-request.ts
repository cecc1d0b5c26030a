/**
 * A request in a list: its receipt without its value and its schema. Both can have a megabyte, so a list
 * neither reads nor parses them.
 */
import type { RawBuilder } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import type { ChatRequestRow } from '@truecast/store/internal/tables/chats';
import type { FirstIssue } from '@truecast/client/internal/wire/receipt';
import { toRequest, type RequestRecord } from '../rows/chat-records.ts';

/** Characters of a value in a list. */
export const PREVIEW_CHARS = 160;

export interface ListedRequest extends Omit<RequestRecord, 'schemaText'> {
  /** First characters of its value as JSON. Only if the query selects them. */
  readonly valuePreview?: string;
  readonly evidence?: RequestEvidence;
}

/** What tells one request from another in a list. */
export interface RequestEvidence {
  /** First characters of its question. */
  readonly question?: string;
  /** First problem of its last refused attempt, if it failed. */
  readonly firstIssue?: FirstIssue;
}

/** Every column of a request except its value and its schema. */
export const LISTED_COLUMNS: readonly ListedColumn[] = [
  'id',
  'chat_id',
  'owner',
  'status',
  'message_id',
  'queued_id',
  'name',
  'attempt_count',
  'duration_ms',
  'cost_micro_usd',
  'schema_hash',
  'limits',
  'revision',
  'receipt_version',
  'value_hash',
  'numbers_exact',
  'error',
  'mode',
  'attempts',
  'model',
  'dialect',
  'usage',
  'created_at',
  'started_at',
  'ended_at',
  'deadline_at',
  'erased',
];

type ListedColumn = Exclude<keyof ChatRequestRow, 'schema_text' | 'value_text'>;

export interface ListedRow extends Pick<ChatRequestRow, ListedColumn> {
  readonly value_preview?: string | null;
}

/** The first characters of a value, in characters of the database. */
export const BEGINNING_OF_VALUE: RawBuilder<string | null> =
  sql`substr(value_text, 1, ${sql.lit(PREVIEW_CHARS)})`;

export function toListedRequest({ value_preview: preview, ...row }: ListedRow): ListedRequest {
  const { schemaText: _none, ...request } = toRequest({ ...row, value_text: null, schema_text: '' });
  return { ...request, ...(typeof preview === 'string' && { valuePreview: preview }) };
}
