/** Page of one chat: the transcript, the live turn, and the answer next to it. */
import { useState, type ReactNode } from 'react';
import { AskedQuestion } from '../chat/asked-question.tsx';
import { AnswerBar } from '../chat/answer-bar.tsx';
import { Announcer } from '../chat/transcript/announcer.tsx';
import { ChatActions } from '../chat/chat-actions.tsx';
import { FailedQuestion } from '../chat/failed-question.tsx';
import { ChatFactList } from '../chat/chat-facts.tsx';
import { Composer } from '../chat/composer.tsx';
import { MessageQueue } from '../chat/message-queue.tsx';
import { ToolResultsForm } from '../chat/tool-results-form.tsx';
import { FollowEnd } from '../chat/transcript/follow-end.tsx';
import { StopButton } from '../chat/stop-button.tsx';
import { Timeline } from '../chat/transcript/timeline.tsx';
import { Transcript } from '../chat/transcript/transcript.tsx';
import { turnText, turnsOf, type TranscriptTurn } from '../chat/transcript/turns.ts';
import { draftOf, type FoldedChat } from '@truecast/client/internal/state/folded-chat';
import { useLiveChat } from '../live/use-live-chat.ts';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';
import { AnswerPanel } from '../value/value-panel.tsx';
import { attemptsOf } from '../value/value-state.ts';
import { CodeText } from '../parts/code/text-panel.tsx';

export function ChatDetailPage({ chatId }: { readonly chatId: string }): ReactNode {
  const { state, failure } = useLiveChat(chatId);
  const [chosen, setChosen] = useState<string>();
  const isNarrow = useIsNarrow();
  const turns = turnsOf(state.messages);
  const typed = turns.filter(({ format }) => format !== undefined);
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
  return (
    <Page
      isWide
      title={titleOf(turns)}
      facts={isLoaded && <ChatFactList chatId={chatId} status={state.status ?? 'waiting'} />}
      actions={
        <>
          {isRunning && <StopButton chatId={chatId} />}
          {isLoaded && <ChatActions chatId={chatId} isBusy={isRunning} turns={turns} />}
        </>
      }
    >
      {!isLoaded && <Skeleton />}
      <Announcement turn={shown} state={state} />
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(400px,480px)] lg:gap-10">
        {shown?.format !== undefined && !isNarrow && (
          <div className="min-w-0 lg:sticky lg:top-6 lg:order-last lg:self-start">
            <Answer chatId={chatId} turn={shown} state={state} />
          </div>
        )}
        <div
          className={`min-w-0 lg:flex lg:min-h-[calc(100dvh-130px-var(--strip,0px))] lg:flex-col ${shown === undefined ? 'lg:col-span-2 lg:max-w-[760px]' : ''}`}
        >
          <Transcript
            turns={turns}
            live={state}
            isRunning={isRunning}
            shownRequest={shown?.format?.request_id}
            onShow={setChosen}
            afterFailure={(turn) => <FailedQuestion turn={turn} />}
          />
          <ChatNotices state={state} />
          {state.action !== undefined && <ToolResultsForm chatId={chatId} action={state.action} />}
          <MessageQueue chatId={chatId} queue={state.queue} />
          {isNarrow && <NarrowAnswer chatId={chatId} turn={shown} state={state} />}
          <FollowEnd isLive={isRunning} version={versionOf(state)} steps={stepsOf(state)} />
          {failure !== undefined && <ProblemBox error={failure} />}
          {!isRunning && <LastQuestion chatId={chatId} turn={turns.at(-1)} state={state} />}
          {isLoaded && <Composer chatId={chatId} isBusy={isRunning} format={typed.at(-1)?.format} />}
        </div>
      </div>
    </Page>
  );
}

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

/** On narrow screens, the panel is a sheet that a bar above the input opens. */
function NarrowAnswer({ chatId, turn, state }: ShownProps & { readonly chatId: string }): ReactNode {
  if (turn?.format === undefined) return null;
  const { name, schema_text: schemaText, request_id: requestId } = turn.format;
  return (
    <AnswerBar
      name={name}
      schemaText={schemaText}
      attempts={attemptsOf(turn.steps)}
      receipt={state.receipts[requestId]}
      draft={draftOf(state, requestId)}
    >
      <Answer chatId={chatId} turn={turn} state={state} />
    </AnswerBar>
  );
}

/** Changes with each visible change of the transcript. */
function versionOf({ messages, preview }: FoldedChat): number {
  return preview.reduce((sum, { text }) => sum + text.length, messages.length);
}

/** Counts the steps of the transcript, with the one that a model is writing. */
function stepsOf({ messages, preview }: FoldedChat): number {
  return messages.length + (preview.length > 0 ? 1 : 0);
}

const TITLE_CHARS = 80;

function titleOf(turns: readonly TranscriptTurn[]): string {
  const user = turns[0]?.user;
  const [line = ''] = user === undefined ? [] : turnText(user).trim().split('\n');
  if (line === '') return 'Chat';
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS)}…` : line;
}

/** Renders the error, if there is one that the transcript does not already end with. */
export function ChatNotices({
  state: { chatError: error, messages },
}: {
  readonly state: FoldedChat;
}): ReactNode {
  const end = messages.at(-1)?.content.find((part) => part.type === 'outcome');
  const isShown = error !== undefined && end?.error?.message === error.message;
  return (
    <div role="status" className="mt-4 empty:hidden">
      {error !== undefined && !isShown && (
        <p className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-bad">
          <CodeText text={error.message} />
        </p>
      )}
    </div>
  );
}
