/**
 * Evidence of requests in a list: the question, and the first problem of a failure with the value
 * of the model. It is read from the messages, so it is kept nowhere else, and is deleted with its chat.
 */
import { sql } from '@truecast/store/internal/database/sql';
import { submittedValue, writtenValue } from '@truecast/core/internal/output/finalizer/submitted-value';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { clip } from '@truecast/core/internal/kit/describe-value';
import { withGot } from '@truecast/core/internal/output/validate/describe-refusal';
import type { FirstIssue } from '@truecast/client/internal/wire/receipt';
import type { RowPart } from '../../contract/rows.ts';
import type { StateDb } from '../rows/machine-context.ts';
import { readShownParts } from '../rows/stored-json.ts';
import { LISTED_COLUMNS, PREVIEW_CHARS, toListedRequest, type ListedRequest } from './listed-request.ts';

/** Longer messages are not read for a list: a question with a document, an answer of megabytes. */
const MAX_BYTES = 16 * 1024;

type Parts = readonly RowPart[];

/** Reads requests by their id, with their evidence. */
export async function requestsWithEvidence(
  db: StateDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ListedRequest>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('chat_requests').select(LISTED_COLUMNS).where('id', 'in', ids).execute();
  const requests = await withEvidence(db, rows.map(toListedRequest));
  return new Map(requests.map((request) => [request.requestId, request]));
}

/** Adds the evidence, in one statement. */
export async function withEvidence(
  db: StateDb,
  requests: readonly ListedRequest[],
): Promise<readonly ListedRequest[]> {
  const places = requests.flatMap((request) =>
    [request.messageId, refusedIn(request)?.message_id].flatMap((id) =>
      id === undefined ? [] : [{ chatId: request.chatId, id }],
    ),
  );
  const messages = await readMessages(db, places);
  return requests.map((request) => {
    const at = (id: number | undefined): Parts => messages.get(`${request.chatId} ${id}`) ?? [];
    const question = textOf(at(request.messageId)).trim();
    const refused = refusedIn(request);
    const firstIssue = refused && issueOf(refused, at(refused.message_id));
    return {
      ...request,
      evidence: {
        ...(question !== '' && { question: clip(question, PREVIEW_CHARS) }),
        ...(firstIssue !== undefined && { firstIssue }),
      },
    };
  });
}

type Attempt = ListedRequest['receipt']['attempts'][number];

function refusedIn({ status, receipt }: ListedRequest): Attempt | undefined {
  if (status !== 'failed') return undefined;
  return receipt.attempts.findLast(({ issues = [] }) => issues.length > 0);
}

function issueOf({ issues = [] }: Attempt, parts: Parts): FirstIssue | undefined {
  const [first] = issues;
  if (first === undefined) return undefined;
  const { rule, ...issue } = withGot(first, submissionOf(parts));
  return { ...issue, message: rule };
}

/** Without a call, the text is the answer. */
function submissionOf(parts: Parts): unknown {
  const call = parts.find((part) => part.type === 'tool_call' && part.tool_name === FINALIZER_NAME);
  return call?.type === 'tool_call' ? submittedValue(call.args) : writtenValue(textOf(parts));
}

function textOf(parts: Parts): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

interface MessagePlace {
  readonly chatId: string;
  readonly id: number;
}

async function readMessages(
  db: StateDb,
  places: readonly MessagePlace[],
): Promise<ReadonlyMap<string, Parts>> {
  if (places.length === 0) return new Map();
  const rows = await db
    .selectFrom('chat_messages')
    .select(['chat_id', 'id', 'parts', 'parts_version'])
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('chat_id', 'id'),
        'in',
        places.map(({ chatId, id }) => tuple(chatId, id)),
      ),
    )
    .where('deleted', '=', 0)
    .where(sql<number>`octet_length(parts)`, '<=', MAX_BYTES)
    .execute();
  return new Map(rows.map((row) => [`${row.chat_id} ${row.id}`, readShownParts(row)]));
}
