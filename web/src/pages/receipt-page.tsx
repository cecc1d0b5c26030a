/** Page of one receipt: the value with its proof, every attempt, and the schema. */
import { type ReactNode, useEffect, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Receipt } from '@truecast/client';
import { useLiveChat } from '../live/use-live-chat.ts';
import { Timeline } from '../chat/transcript/timeline.tsx';
import { turnsOf, type TranscriptTurn } from '../chat/transcript/turns.ts';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { RequestStatusWord } from '../parts/status-word.tsx';
import { useClient } from '../session/use-client.ts';
import { ProviderReport } from '../schema/provider-report.tsx';
import { useSchemaReport } from '../schema/schema-report.ts';
import { useAskedReceipts } from '../receipts/asked-receipts.ts';
import { Neighbours } from '../receipts/neighbours.tsx';
import { Proof } from '../receipts/proof.tsx';
import { ShareReceipt } from '../receipts/share-receipt.tsx';
import { AttemptSources } from '../receipts/attempt-sources.tsx';
import { AnswerPanel } from '../value/value-panel.tsx';
import { attemptsOf } from '../value/value-state.ts';
import { ReceiptFacts } from './receipt-facts.tsx';
import { TextPanel } from '../parts/code/text-panel.tsx';
import { askedIn, questionOf } from '../chat/repeated-question.ts';
import { FailedQuestion } from '../chat/failed-question.tsx';
import { CodePanel } from '../question/code-panel.tsx';
import { indentIfJson } from '../json/indent-json.ts';

interface ReceiptPageProps {
  readonly chatId: string;
  readonly requestId: string;
}

export function ReceiptPage({ chatId, requestId }: ReceiptPageProps): ReactNode {
  const client = useClient();
  const asked = useAskedReceipts();
  const read = useQuery({
    queryKey: ['receipt', chatId, requestId],
    queryFn: ({ signal }) => client.chat({ id: chatId }).request(requestId, { signal }),
  });
  const { state } = useLiveChat(chatId);
  const turn = turnsOf(state.messages).find(({ format }) => format?.request_id === requestId);
  const receipt = state.receipts[requestId] ?? read.data;
  const title = turn?.format === undefined ? 'Receipt' : `Receipt of ${turn.format.name}`;
  const question = turn === undefined ? '' : (questionOf(turn).trim().split('\n')[0] ?? '');
  return (
    <Page
      isWide
      crumb={{ href: `/requests${asked.search}`, name: 'Receipts' }}
      title={title}
      tabTitle={question === '' ? title : `${question} · ${title}`}
      facts={receipt !== undefined && <RequestStatusWord isBadge status={receipt.status} />}
      actions={
        <>
          <Neighbours receipt={receipt} asked={asked} />
          <HeadLinks chatId={chatId} requestId={requestId} />
        </>
      }
    >
      {read.isPending && <Skeleton />}
      {read.error !== null && <ProblemBox error={read.error} onRetry={() => void read.refetch()} />}
      {receipt !== undefined && (
        <div className="max-w-[960px] space-y-8">
          {turn !== undefined && <AskedText turn={turn} isFailed={receipt.status === 'failed'} />}
          {turn?.format !== undefined && (
            <AnswerPanel
              name={turn.format.name}
              schemaText={turn.format.schema_text}
              attempts={attemptsOf(turn.steps)}
              hidesAttempts
              receipt={receipt}
              sealedAt={turn.outcome?.at}
            />
          )}
          <Proof receipt={receipt} />
          <Attempts chatId={chatId} receipt={receipt} turn={turn} />
          <ReceiptFacts receipt={receipt} />
          {turn !== undefined && <ReceiptCode turn={turn} />}
          <Source title="Schema" text={indentIfJson(turn?.format?.schema_text ?? '')} />
          {turn?.format !== undefined && (
            <SchemaLosses name={turn.format.name} schemaText={turn.format.schema_text} receipt={receipt} />
          )}
          <Source title="Receipt as JSON" text={JSON.stringify(receipt, undefined, 2)} />
        </div>
      )}
    </Page>
  );
}

function HeadLinks({ chatId, requestId }: ReceiptPageProps): ReactNode {
  return (
    <>
      <ShareReceipt requestId={requestId} />
      <Link href={`/compare?requests=${requestId}&add=yes`} className="button">
        <Icon name="compare" />
        Compare with …
      </Link>
      <Link href={`/ask?from=${requestId}`} className="button">
        Ask again with …
      </Link>
      <Link href={`/chats/${chatId}`} className="button">
        Open the chat
      </Link>
    </>
  );
}

interface AttemptsProps extends Pick<ReceiptPageProps, 'chatId'> {
  readonly receipt: Receipt;
  readonly turn: TranscriptTurn | undefined;
}

function Attempts({ chatId, receipt, turn }: AttemptsProps): ReactNode {
  if (receipt.attempts.length === 0) return null;
  return (
    <section aria-label="All attempts">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="font-semibold">Attempts</h2>
        <Link
          href={receipt.name === undefined ? '/quality' : `/quality?name=${encodeURIComponent(receipt.name)}`}
          className="text-accent-ink underline"
        >
          Which fields fail
        </Link>
      </div>
      {turn !== undefined && <Timeline turn={turn} />}
      <div className="mt-4">
        <AttemptSources chatId={chatId} receipt={receipt} />
      </div>
    </section>
  );
}

function Source({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  if (text === '') return null;
  return (
    <section aria-label={title}>
      <div className="mb-1 flex items-center justify-between">
        <h2 className="font-semibold">{title}</h2>
        <CopyButton text={text} />
      </div>
      <TextPanel text={text} label={title} wraps />
    </section>
  );
}

interface AskedProps {
  readonly turn: TranscriptTurn;
  readonly isFailed: boolean;
}

/** Renders the question, and the way on of one that failed. */
function AskedText({ turn, isFailed }: AskedProps): ReactNode {
  return (
    <section aria-label="Question" className="space-y-3">
      <p className="line-clamp-6 text-lg break-words whitespace-pre-wrap">{questionOf(turn)}</p>
      {isFailed && <FailedQuestion turn={turn} />}
    </section>
  );
}

const ID = 'code';

/** Renders the program that gets the value. With `#code` in the address, the page begins there. */
function ReceiptCode({ turn }: { readonly turn: TranscriptTurn }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (location.hash === `#${ID}`) place.current?.scrollIntoView();
  }, []);
  const question = askedIn(turn);
  if (question === undefined) return null;
  return (
    <div id={ID} ref={place} className="scroll-mt-19 *:mt-0">
      <CodePanel question={question} />
    </div>
  );
}

interface LossesProps {
  readonly name: string;
  readonly schemaText: string;
  readonly receipt: Receipt;
}

/** Renders the report of the schema. It is created by the same code as on the server. */
function SchemaLosses({ name, schemaText, receipt }: LossesProps): ReactNode {
  const { dialect } = receipt;
  const report = useSchemaReport(name, schemaText, true);
  return (
    <ProviderReport
      dialects={report?.dialects ?? []}
      selected={dialect}
      selectedWord="model of this receipt"
    />
  );
}
