/** Composer: the next message of a chat, with or without a required answer. */
import { useState, type KeyboardEvent, type ReactNode, type SubmitEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ProblemBox } from '../parts/page.tsx';
import { useClient } from '../session/use-client.ts';
import { requiredAnswer } from './repeated-question.ts';
import type { TranscriptTurn } from './transcript/turns.ts';

interface ComposerProps {
  readonly chatId: string;
  readonly isBusy: boolean;
  /** The last required answer of the chat. */
  readonly format: TranscriptTurn['format'];
}

/** Renders the form, at the same place in every chat: the bottom of the page. */
export function Composer({ chatId, isBusy, format }: ComposerProps): ReactNode {
  const client = useClient();
  const [text, setText] = useState('');
  const [isTyped, setTyped] = useState(true);
  const send = useMutation({
    mutationFn: (content: string) =>
      client.chat({ id: chatId }).send({ content, ...(isTyped && requiredAnswer(format)) }),
    onSuccess: () => setText(''),
  });
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (text.trim() !== '' && !send.isPending) send.mutate(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <div className="bg-page">
      <form
        onSubmit={submit}
        className="rounded-xl border border-control bg-raised shadow-2 focus-within:border-accent-ink"
      >
        <label className="sr-only" htmlFor="follow-up">
          Next message
        </label>
        <textarea
          id="follow-up"
          rows={1}
          className="block field-sizing-content max-h-[30dvh] w-full resize-none bg-transparent px-4 pt-3 pb-1 outline-none placeholder:text-muted"
          placeholder={isBusy ? 'Queue a follow-up question' : 'Ask a follow-up question'}
          value={text}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="flex items-center justify-between gap-x-4 px-3 pb-2.5">
          <TypeChoice format={format} isTyped={isTyped} onChange={setTyped} />
          <button
            title="Ctrl Enter"
            className="button button-primary ml-auto"
            type="submit"
            disabled={text.trim() === '' || send.isPending}
          >
            {isBusy ? 'Queue' : 'Ask'}
          </button>
        </div>
        {send.error !== null && (
          <div className="p-3 pt-0">
            <ProblemBox error={send.error} />
          </div>
        )}
      </form>
    </div>
  );
}

interface ChoiceProps extends Pick<ComposerProps, 'format'> {
  readonly isTyped: boolean;
  readonly onChange: (isTyped: boolean) => void;
}

/** Whether the next message requires the answer of the last one. */
function TypeChoice({ format, isTyped, onChange }: ChoiceProps): ReactNode {
  if (format === undefined) return <span className="text-xs text-muted">The answer is text.</span>;
  return (
    <label className="flex min-h-8 min-w-0 items-center gap-2 text-xs text-muted">
      <input type="checkbox" checked={isTyped} onChange={({ target }) => onChange(target.checked)} />
      <span className="min-w-0 break-words">
        Require an answer of type <code className="text-xs text-ink">{format.name}</code>
      </span>
    </label>
  );
}
