/** Transcript of a chat: its turns in commit order, and the text that a model is writing. */
import type { ReactNode } from 'react';
import type { PreviewPart } from '../live/chat-state.ts';
import { describeShape, parseSchema } from '../value/describe-schema.ts';
import { Step } from './step.tsx';
import { LivePreview } from './live-preview.tsx';
import { textOf, type Turn } from './turns.ts';

interface TranscriptProps {
  readonly turns: readonly Turn[];
  readonly preview: readonly PreviewPart[];
  readonly isRunning: boolean;
  /** The request in the panel beside the transcript. */
  readonly shownRequest: string | undefined;
  readonly onShow: (requestId: string) => void;
}

/** Renders the transcript. */
export function Transcript({ turns, preview, isRunning, shownRequest, onShow }: TranscriptProps): ReactNode {
  return (
    <ol aria-label="Transcript" className="space-y-8">
      {turns.map((turn, index) => (
        <li key={turn.user?.id ?? turn.steps[0]?.id ?? index} className="space-y-3">
          <UserMessage turn={turn} />
          {turn.steps.map((message) => (
            <Step key={message.id} message={message} turn={turn} />
          ))}
          <Outcome turn={turn} isShown={turn.format?.request_id === shownRequest} onShow={onShow} />
          {isRunning && index === turns.length - 1 && <LivePreview parts={preview} />}
        </li>
      ))}
    </ol>
  );
}

function UserMessage({ turn: { user, format } }: { readonly turn: Turn }): ReactNode {
  if (user === undefined) return null;
  const text = textOf(user);
  return (
    <div className="rounded-md bg-sunken px-4 py-3">
      <p className="break-words whitespace-pre-wrap">{text === '' ? 'A file' : text}</p>
      {format !== undefined && (
        <p className="mt-2 flex gap-2 text-sm text-muted">
          <span className="shrink-0">Answer</span>
          <code className="line-clamp-3 text-sm break-words">
            {format.name} {describeShape(parseSchema(format.schema_text))}
          </code>
        </p>
      )}
    </div>
  );
}

interface OutcomeProps {
  readonly turn: Turn;
  readonly isShown: boolean;
  readonly onShow: (requestId: string) => void;
}

/** The end of a request, and the way to its value if another one is shown. */
function Outcome({ turn: { outcome, format }, isShown, onShow }: OutcomeProps): ReactNode {
  const requestId = format?.request_id;
  return (
    <>
      {outcome?.error !== undefined && (
        <p className={outcome.status === 'failed' ? 'text-bad' : 'text-muted'}>
          <span aria-hidden="true">× </span>
          {outcome.error.message}
        </p>
      )}
      {requestId !== undefined && !isShown && (
        <button className="button" onClick={() => onShow(requestId)}>
          Show the answer
        </button>
      )}
    </>
  );
}
