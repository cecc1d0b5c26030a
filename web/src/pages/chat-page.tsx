/** Page of one chat: the transcript, the live turn, and the answer next to it. */
import { useState, type ReactNode } from 'react';
import { AskedQuestion } from '../chat/asked-question.tsx';
import { Announcer } from '../chat/transcript/announcer.tsx';
import { ChatActions } from '../chat/chat-actions.tsx';
import { FailedQuestion } from '../chat/failed-question.tsx';
import { ChatFactList } from '../chat/chat-facts.tsx';
import { Composer } from '../chat/composer.tsx';
import { MessageQueue } from '../chat/message-queue.tsx';
import { ToolResultsForm } from '../chat/tool-results-form.tsx';
import { FollowEnd } from '../chat/transcript/follow-end.tsx';
import { NotConnected } from '../chat/not-connected.tsx';
import { StopButton } from '../chat/stop-button.tsx';
import { Timeline } from '../chat/transcript/timeline.tsx';
import { Transcript } from '../chat/transcript/transcript.tsx';
import { TryAgain } from '../chat/try-again.tsx';
import { isEmptyReply, turnText, turnsOf, type TranscriptTurn } from '../chat/transcript/turns.ts';
import { draftOf, type FoldedChat } from '@truecast/client/internal/state/folded-chat';
import { useLiveChat } from '../live/use-live-chat.ts';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { AnswerPanel } from '../value/value-panel.tsx';
import { attemptsOf } from '../value/value-state.ts';
import { CodeText } from '../parts/code/text-panel.tsx';

export function ChatDetailPage({ chatId }: { readonly chatId: string }): ReactNode {
  const { state, failure } = useLiveChat(chatId);
  const [chosen, setChosen] = useState<string>();
  const turns = turnsOf(state.messages);
  const typed = turns.filter(hasFormat);
  const shown = typed.find(({ format }) => format?.request_id === chosen) ?? typed.at(-1);
  const isLoaded = state.status !== undefined || state.messages.length > 0;
  const isRunning = state.status === 'running' || state.status === 'interrupting';
  if (failure !== undefined && !isLoaded) {
    return (
      <Page title="Chat">
        <ProblemBox error={failure} />
      </Page>
    );
  }
  const receipt = shown?.format && state.receipts[shown.format.request_id];
  return (
    <Page
      isFlush
      crumb={CHATS}
      title={titleOf(turns)}
      facts={
        isLoaded && (
          <ChatFactList chatId={chatId} status={state.status ?? 'waiting'} outcome={receipt?.status} />
        )
      }
      actions={
        <>
          {isRunning && <StopButton chatId={chatId} />}
          {isLoaded && <ChatActions chatId={chatId} isBusy={isRunning} turns={turns} />}
        </>
      }
    >
      <Announcement turn={shown} state={state} />
      <Columns
        chatId={chatId}
        state={state}
        failure={failure}
        turns={turns}
        shown={shown}
        isLoaded={isLoaded}
        isRunning={isRunning}
        onShow={setChosen}
      />
    </Page>
  );
}

interface ColumnsProps {
  readonly chatId: string;
  readonly state: FoldedChat;
  readonly failure: Error | undefined;
  readonly turns: readonly TranscriptTurn[];
  /** The turn whose answer is in the card. */
  readonly shown: TranscriptTurn | undefined;
  readonly isLoaded: boolean;
  readonly isRunning: boolean;
  readonly onShow: (requestId: string) => void;
}

/** Renders the transcript, the card beside or below it, and the form at the lower edge. */
function Columns(props: ColumnsProps): ReactNode {
  const { chatId, state, failure, turns, shown, isLoaded, isRunning, onShow } = props;
  const last = turns.at(-1);
  return (
    <div
      className={`grid flex-1 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_1fr] ${shown === undefined ? '' : BESIDE}`}
    >
      <div className={`${COLUMN} pt-5 pb-4`}>
        {!isLoaded && <Skeleton />}
        <Transcript
          turns={turns}
          live={state}
          isRunning={isRunning}
          shownRequest={shown?.format?.request_id}
          onShow={onShow}
          afterFailure={(turn) => <FailedQuestion turn={turn} />}
        />
        <ChatNotices chatId={chatId} turn={last} state={state} isRunning={isRunning} />
      </div>
      {shown?.format !== undefined && (
        <div className={PANEL}>
          <div className="mx-auto max-w-[680px] @4xl:sticky @4xl:top-20">
            <Answer chatId={chatId} turn={shown} state={state} />
          </div>
        </div>
      )}
      <div className={COLUMN}>
        {isLoaded && <NotConnected chatId={chatId} />}
        {state.action !== undefined && <ToolResultsForm chatId={chatId} action={state.action} />}
        <MessageQueue chatId={chatId} queue={state.queue} />
        {failure !== undefined && <ProblemBox error={failure} />}
        {!isRunning && <LastQuestion chatId={chatId} turn={last} state={state} />}
      </div>
      {isLoaded && (
        <div className={`${COLUMN} ${BELOW}`}>
          <FollowEnd
            isLive={isRunning}
            version={versionOf(state)}
            steps={stepsOf(state)}
            place="absolute -top-11"
          />
          <Composer chatId={chatId} isBusy={isRunning} format={turns.findLast(hasFormat)?.format} />
        </div>
      )}
    </div>
  );
}

function hasFormat({ format }: TranscriptTurn): boolean {
  return format !== undefined;
}

const PANEL =
  'min-w-0 px-4 pb-6 @2xl:px-5 @4xl:col-start-2 @4xl:row-span-3 @4xl:row-start-1 @4xl:rounded-br-xl @4xl:border-l @4xl:border-line @4xl:bg-well @4xl:p-4';
const CHATS = { href: '/chats', name: 'Chats' };
const COLUMN = 'mx-auto w-full min-w-0 max-w-[760px] px-4 @2xl:px-5 @4xl:col-start-1';
/** The value is beside the transcript, where there is room for both. */
const BESIDE = '@4xl:grid-cols-[minmax(0,1fr)_minmax(380px,440px)]';
/** The form stays at the lower edge of the window, above the bar of narrow screens. */
const BELOW = 'sticky bottom-0 z-[5] self-end bg-page pb-3 max-[639px]:bottom-[57px]';

interface AnswerProps {
  readonly chatId: string;
  readonly turn: TranscriptTurn;
  readonly state: FoldedChat;
}

function Answer({ chatId, turn, state }: AnswerProps): ReactNode {
  const { format, steps, outcome } = turn;
  if (format === undefined) return null;
  const { request_id: requestId, name, schema_text: schemaText } = format;
  const attempts = attemptsOf(steps);
  return (
    <>
      <AnswerPanel
        key={requestId}
        name={name}
        schemaText={schemaText}
        attempts={attempts}
        receipt={state.receipts[requestId]}
        receiptHref={`/chats/${chatId}/requests/${requestId}`}
        sealedAt={outcome?.at}
        draft={draftOf(state, requestId)}
      />
      <Timeline turn={turn} />
    </>
  );
}

interface ShownProps {
  readonly turn: TranscriptTurn | undefined;
  readonly state: FoldedChat;
}

/** The question of the last turn. A later message has answered an earlier one. */
function LastQuestion({ chatId, turn, state }: ShownProps & { readonly chatId: string }): ReactNode {
  if (turn?.format === undefined) return null;
  const { format } = turn;
  const { request_id: requestId } = format;
  return (
    <AskedQuestion key={requestId} chatId={chatId} format={format} receipt={state.receipts[requestId]} />
  );
}

function Announcement({ turn, state }: ShownProps): ReactNode {
  if (turn?.format === undefined) return null;
  return <Announcer attempts={attemptsOf(turn.steps)} receipt={state.receipts[turn.format.request_id]} />;
}

/** Changes with each visible change of the transcript. */
function versionOf({ messages, preview }: FoldedChat): number {
  return preview.reduce((sum, { text }) => sum + text.length, messages.length);
}

/** Counts the steps of the transcript, with the one that a model is writing. */
function stepsOf({ messages, preview }: FoldedChat): number {
  return messages.length + (preview.length > 0 ? 1 : 0);
}

function titleOf(turns: readonly TranscriptTurn[]): string {
  const user = turns[0]?.user;
  const [line = ''] = user === undefined ? [] : turnText(user).trim().split('\n');
  return line === '' ? 'Chat' : line;
}

interface NoticeProps {
  readonly chatId: string;
  readonly turn: TranscriptTurn | undefined;
  readonly state: FoldedChat;
  readonly isRunning: boolean;
}

/** Renders the error that the transcript does not already end with, or that the reply was empty. */
function ChatNotices({ chatId, turn, state, isRunning }: NoticeProps): ReactNode {
  const { chatError: error, messages } = state;
  const end = messages.at(-1)?.content.find((part) => part.type === 'outcome');
  const isShown = error !== undefined && end?.error?.message === error.message;
  const isEmpty = error === undefined && !isRunning && turn !== undefined && isEmptyReply(turn);
  const again = turn !== undefined && turn.format === undefined && !isRunning && (
    <TryAgain key={turn.user?.id} chatId={chatId} turn={turn} />
  );
  return (
    <div role="status" className="mt-4 empty:hidden">
      {error !== undefined && !isShown && (
        <div className="rounded-lg border border-bad-edge bg-bad-soft px-4 py-3">
          <p className="text-bad">
            <CodeText text={error.message} />
          </p>
          {again}
        </div>
      )}
      {isEmpty && (
        <div className="rounded-lg border border-line bg-well px-4 py-3">
          <p className="text-muted">The model sent an empty reply.</p>
          {again}
        </div>
      )}
    </div>
  );
}
