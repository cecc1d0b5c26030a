/** Transcript of a chat: its turns in commit order, and the text that a model is writing. */
import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { CodeText } from '../../parts/code/text-panel.tsx';
import type { FoldedChat, PreviewPart } from '@truecast/client/internal/state/folded-chat';
import { RowList, type KeyedRow } from '../../parts/list/row-list.tsx';
import { describeShape, parseSchema } from '../../json/describe-schema.ts';
import { StepView } from './step.tsx';
import { turnText, type TranscriptTurn } from './turns.ts';
import type { RetryEvent } from '@truecast/client/internal/wire/stream-event';
import { plural } from '../../parts/format.ts';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';

interface TranscriptProps {
  readonly turns: readonly TranscriptTurn[];
  readonly live: Pick<FoldedChat, 'preview' | 'retry'>;
  readonly isRunning: boolean;
  /** The request in the panel next to the transcript. */
  readonly shownRequest: string | undefined;
  readonly onShow: (requestId: string) => void;
  /** What follows the end of a request that failed. */
  readonly afterFailure?: (turn: TranscriptTurn) => ReactNode;
}

const ROW_PX = 56;

export function Transcript({
  turns,
  live,
  isRunning,
  shownRequest,
  onShow,
  afterFailure,
}: TranscriptProps): ReactNode {
  const rows: KeyedRow[] = turns.flatMap((turn, index) => {
    const key = turn.user?.id ?? turn.steps[0]?.id ?? index;
    return [
      { key: `user ${key}`, content: <UserMessage turn={turn} isFirst={index === 0} /> },
      ...turn.steps.map((message) => ({
        key: message.id,
        content: <StepView message={message} turn={turn} />,
      })),
      {
        key: `end ${key}`,
        content: (
          <Outcome
            turn={turn}
            isShown={turn.format?.request_id === shownRequest}
            onShow={onShow}
            afterFailure={afterFailure}
          />
        ),
      },
    ];
  });
  return (
    <>
      <RowList rows={rows} estimatedPx={ROW_PX} label="Transcript" />
      {isRunning && (
        <div className="pt-3">
          {live.retry === undefined ? <PreviewStep parts={live.preview} /> : <RetryStep retry={live.retry} />}
        </div>
      )}
    </>
  );
}

interface UserProps {
  readonly turn: TranscriptTurn;
  readonly isFirst: boolean;
}

function UserMessage({ turn: { user, format }, isFirst }: UserProps): ReactNode {
  if (user === undefined) return null;
  const text = turnText(user);
  return (
    <div className={isFirst ? '' : 'pt-8'}>
      <div className="ml-auto w-fit max-w-[min(100%,600px)] rounded-xl rounded-br-sm bg-accent-soft px-4 py-3">
        <p className="break-words whitespace-pre-wrap">{text === '' ? 'A file' : text}</p>
        {format !== undefined && (
          <p className="mt-2 flex gap-2 text-xs text-muted">
            <Icon name="braces" className="mt-0.5 size-3.5" />
            <span className="sr-only">Answer</span>
            <code className="line-clamp-3 min-w-0 text-xs break-words">
              {format.name} {describeShape(parseSchema(format.schema_text))}
            </code>
          </p>
        )}
      </div>
    </div>
  );
}

interface OutcomeProps {
  readonly turn: TranscriptTurn;
  readonly isShown: boolean;
  readonly onShow: (requestId: string) => void;
  readonly afterFailure: TranscriptProps['afterFailure'];
}

/** Renders the end of a request, with a button to its value if another one is shown. */
function Outcome({ turn, isShown, onShow, afterFailure }: OutcomeProps): ReactNode {
  const { outcome, format } = turn;
  const requestId = format?.request_id;
  const error = outcome?.error;
  if (error === undefined && (requestId === undefined || isShown)) return null;
  return (
    <div className="space-y-3 pt-3">
      {error !== undefined && (
        <div
          className={`space-y-3 rounded-lg border px-4 py-3 ${outcome?.status === 'failed' ? 'border-bad-edge bg-bad-soft' : 'border-line'}`}
        >
          <p className={`flex gap-2 ${outcome?.status === 'failed' ? 'text-bad' : 'text-muted'}`}>
            <Icon name="failed" className="mt-0.5 size-4" />
            <span className="min-w-0 break-words">
              <CodeText text={error.message} />
            </span>
          </p>
          {outcome?.status === 'failed' && afterFailure?.(turn)}
        </div>
      )}
      {requestId !== undefined && !isShown && (
        <button className="button" onClick={() => onShow(requestId)}>
          Show the answer
        </button>
      )}
    </div>
  );
}

const REFRESH_MS = 250;
/** Advice to a reader who repeats the call. Here the server repeats it. */
const ADVICE = / Try again\b[^.]*\.$/u;

/** Renders the step. Screen readers get one announcement for each failed call. */
function RetryStep({ retry }: { readonly retry: RetryEvent }): ReactNode {
  const { attempt, retry_at: at, delay_ms: delayMs, error } = retry;
  const seconds = useSecondsUntil(at, delayMs);
  const reason = error.status_code ?? error.kind.replaceAll('_', ' ');
  return (
    <div className="rounded-lg border border-warn-edge bg-warn-soft px-4 py-3 text-warn">
      <p role="status" className="sr-only">{`${reason}, retrying`}</p>
      <p className="font-medium" aria-hidden="true">
        {seconds > 0 ? `${reason}, retrying in ${seconds} s` : `${reason}, retrying now`}
      </p>
      <p className="text-sm">
        <CodeText text={error.message.replace(ADVICE, '')} /> {plural(attempt, 'call')} failed.
      </p>
    </div>
  );
}

/** The delay bounds the count: the clocks of the server and of this page can differ. */
function useSecondsUntil(at: string, delayMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.ceil(Math.min(Date.parse(at) - nowMs, delayMs) / 1_000);
}

/** Maximum length. More characters would slow down every frame. */
const SHOWN_CHARS = 20_000;

/** Renders the growing message. */
function PreviewStep({ parts }: { readonly parts: readonly PreviewPart[] }): ReactNode {
  if (parts.length === 0) return <Working>Waiting for the model</Working>;
  return parts.map((part, index) => (
    // Parts of a growing message have no identity except their order.
    <Part key={index} part={part} />
  ));
}

function Part({ part: { kind, text, toolName } }: { readonly part: PreviewPart }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (kind === 'tool_call') {
    return (
      <Working>
        {toolName === FINALIZER_NAME ? 'Writing the answer' : `Calling ${toolName ?? 'a tool'}`}
      </Working>
    );
  }
  const isLong = text.length > SHOWN_CHARS && !isWhole;
  return (
    <div className={kind === 'reasoning' ? 'text-muted' : ''}>
      {isLong && (
        <button className="text-sm text-accent-ink underline" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
      <p className="break-words whitespace-pre-wrap">{isLong ? text.slice(-SHOWN_CHARS) : text}</p>
    </div>
  );
}

function Working({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <p className="flex items-center gap-2 text-sm text-muted">
      <span className="size-2 animate-pulse rounded-full bg-accent" aria-hidden="true" />
      {children} …
    </p>
  );
}
