/** Composer: the next message of a chat, with or without a required answer. */
import { useState, type KeyboardEvent, type ReactNode, type SubmitEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
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
  const { client } = useSession();
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
    <div className="pt-8 lg:mt-auto">
      <form onSubmit={submit} className="panel p-3">
        <label className="sr-only" htmlFor="follow-up">
          Next message
        </label>
        <textarea
          id="follow-up"
          rows={2}
          className="field resize-y"
          placeholder="Ask a follow-up question"
          value={text}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          {format === undefined ? (
            <span className="text-sm text-muted">The answer is text.</span>
          ) : (
            <label className="flex min-h-8 items-center gap-2 text-sm text-muted">
              <input type="checkbox" checked={isTyped} onChange={({ target }) => setTyped(target.checked)} />
              Require an answer of type <code className="text-sm text-ink">{format.name}</code>
            </label>
          )}
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
          <div className="mt-3">
            <ProblemBox error={send.error} />
          </div>
        )}
      </form>
    </div>
  );
}
