/** One committed message of a turn: text, thinking, tool calls, and attempts at the answer. */
import { useState, type ReactNode } from 'react';
import type { MessagePart, MessageView, Receipt } from '@truecast/client';
import type { FinishReason } from '@truecast/client/internal/wire/message';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { CodeText } from '../../parts/code/text-panel.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import { describeAttempt } from '../../value/describe-attempt.ts';
import { SealSign } from '../../value/seal.tsx';
import { attemptsOf } from '../../value/value-state.ts';
import { ToolCall } from './tool-call.tsx';
import type { TranscriptTurn } from './turns.ts';

interface StepProps {
  readonly message: MessageView;
  readonly turn: TranscriptTurn;
}

/** Renders a message. Submissions of an answer are shown as attempts, not as tool calls. */
export function StepView({ message, turn }: StepProps): ReactNode {
  return (
    <div id={`m${message.id}`} tabIndex={-1} data-step="" className="space-y-3 pt-3 empty:hidden">
      {message.content.map((part, index) => (
        // Parts of a message have no identity except their order.
        <Part key={index} part={part} turn={turn} />
      ))}
      {message.attempt !== undefined && <Attempt attempt={message.attempt} turn={turn} />}
      <Cut message={message} />
    </div>
  );
}

const CUTS: Readonly<Partial<Record<FinishReason, string>>> = {
  interrupted: 'Stopped.',
  length: 'Cut off: the model reached its output limit.',
  runaway: 'Ended: the model repeated itself without end.',
  content_filter: "Cut off by the provider's content filter.",
};

/** Explains why a message ends early. */
function Cut({ message: { finish_reason: reason = 'stop' } }: Pick<StepProps, 'message'>): ReactNode {
  const text = CUTS[reason];
  if (text === undefined) return null;
  return (
    <p className="text-sm text-muted">
      <span aria-hidden="true">■ </span>
      {text}
    </p>
  );
}

function Part({ part, turn }: { readonly part: MessagePart; readonly turn: TranscriptTurn }): ReactNode {
  switch (part.type) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'reasoning':
      return <Collapsed title="Thinking" text={part.text} />;
    case 'tool_call':
      return part.tool_name === FINALIZER_NAME ? null : <ToolCall part={part} turn={turn} />;
    case 'tool_result':
      return part.attempt === undefined ? null : <Attempt attempt={part.attempt} turn={turn} />;
    case 'summary':
      return <Collapsed title="Earlier messages were summarized" text={part.text} />;
    case 'source':
      return (
        <p className="text-sm break-words text-muted">Source: {part.title ?? part.url ?? part.source_id}</p>
      );
    case 'file':
      return <p className="text-sm text-muted">File: {part.filename ?? part.media_type}</p>;
    default:
      return null;
  }
}

interface AttemptProps {
  readonly attempt: Receipt['attempts'][number];
  readonly turn: TranscriptTurn;
}

function Attempt({ attempt, turn }: AttemptProps): ReactNode {
  const isValid = attempt.code === 'ok';
  const value = attemptsOf(turn.steps).find((each) => each.attempt === attempt)?.value;
  const look = isValid ? 'border-ok-edge bg-ok-soft text-ok' : 'border-bad-edge bg-bad-soft text-bad';
  return (
    <div className={`flex gap-3 rounded-lg border px-3.5 py-2.5 text-sm ${look}`}>
      {isValid ? (
        <SealSign size={22} />
      ) : (
        <span className="grid size-[22px] shrink-0 place-items-center rounded-full bg-bad-fill text-page">
          <Icon name="refused" className="size-3.5" />
        </span>
      )}
      <p className="min-w-0 break-words">
        <span className="font-semibold">{isValid ? 'Answer accepted' : 'Answer refused'}</span>{' '}
        <span className="text-soft">
          {isValid ? 'and sealed' : <CodeText text={describeAttempt(attempt, value)} />}
        </span>
      </p>
    </div>
  );
}

function Collapsed({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="text-muted" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      <div className="mt-1 border-l-2 border-line pl-3">{isOpen && <Markdown text={text} />}</div>
    </details>
  );
}
