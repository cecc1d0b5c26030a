/** Rows of a list of chats. */
import type { ReactNode } from 'react';
import type { ListedChatView } from '@truecast/client/internal/wire/chat';
import { ModelName } from '../parts/model-name.tsx';
import { ChatStatusWord, RequestStatusWord } from '../parts/status-word.tsx';
import { Table, type Column, type Selection } from '../parts/list/table.tsx';
import { answerColumns } from '../value/answer-columns.tsx';
import { FailureLine } from '../value/failure-line.tsx';
import { previewText } from '../value/preview-text.ts';

const COLUMNS: readonly Column<ListedChatView>[] = [
  {
    head: 'Model',
    track: 'minmax(0,156px)',
    cell: ({ model }) => <ModelName id={model} />,
    folded: ({ model }) => model,
  },
  ...answerColumns<ListedChatView>((chat) => ({
    status: chat.last_request_status,
    attempts: chat.attempt_count,
    ms: chat.duration_ms,
    costUsd: chat.cost_usd,
  })),
];

interface RowsProps {
  readonly chats: readonly ListedChatView[];
  /** Ids of the chosen chats, and their change. */
  readonly selection: Omit<Selection<ListedChatView>, 'nameOf'>;
}

/** Renders one link per chat, with its question, the failure of its newest request, or the first fields of its newest value. */
export function ChatRows({ chats, selection }: RowsProps): ReactNode {
  return (
    <Table
      label="Chats"
      rows={chats}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/chats/${id}`}
      state={State}
      titleHead="Question and outcome"
      title={headline}
      outcome={Outcome}
      columns={COLUMNS}
      isOrdered
      timeHead="Changed"
      timeOf={({ updated_at: at }) => at}
      selection={{ ...selection, nameOf: headline }}
    />
  );
}

function State({ status, last_request_status: last }: ListedChatView): ReactNode {
  if (status === 'waiting' && last !== undefined) return <RequestStatusWord status={last} />;
  return <ChatStatusWord status={status} />;
}

/** Returns the line that names a chat. The server cuts titles: the question is its longer form, or a later one. */
export function headline({ title, question_preview: question = '' }: ListedChatView): string {
  if (title === '') return question === '' ? 'Untitled chat' : question;
  return question.startsWith(title.replace(/…$/u, '')) ? question : title;
}

/** A value under a request that failed would look like its answer. */
function Outcome({
  error,
  last_failure: failure,
  first_issue: issue,
  attempt_count: attempts = 0,
  value_preview: value,
}: ListedChatView): ReactNode {
  const message = error?.message ?? failure?.message;
  if (message !== undefined) {
    return <FailureLine issue={failure && issue} message={message} attempts={attempts} />;
  }
  if (value === undefined) return undefined;
  return <code className="block truncate text-muted">{previewText(value)}</code>;
}
