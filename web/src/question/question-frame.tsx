/** Frame of a question's form: its button and its keys, and the error of the last attempt. */
import type { KeyboardEvent, ReactNode, RefObject, SubmitEvent } from 'react';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { randomKey } from '@truecast/client/internal/calls/http-caller';
import { createdChatView } from '@truecast/client/internal/wire/chat';
import { ProblemBox } from '../parts/page.tsx';
import { askedKey } from '../session/asked-key.ts';
import { useSession } from '../session/session.tsx';
import { chatBodyOf, keepQuestion, type AskedQuestion } from './question.ts';

interface FrameProps {
  readonly question: AskedQuestion;
  /** False if the server would refuse the question. */
  readonly isComplete: boolean;
  readonly children: ReactNode;
  /** The button that sends the question. */
  readonly button?: RefObject<HTMLButtonElement | null>;
  /** Shown next to the button. */
  readonly aside?: ReactNode;
}

/** Renders the form. Ctrl and Enter in a field send it too. */
export function QuestionFrame({ question, isComplete, children, button, aside }: FrameProps): ReactNode {
  const ask = useAsk();
  const canAsk = isComplete && !ask.isPending;
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (canAsk) ask.mutate(question);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={onKeyDown}
      className="panel min-w-0 rounded-xl border-control px-4 pt-4 shadow-2 focus-within:border-accent-ink @2xl:px-5 @2xl:pt-5"
    >
      {children}
      {/* The button stays in view below a long schema. */}
      <div className="sticky bottom-0 z-[5] -mx-4 mt-4 flex flex-wrap items-center gap-3 rounded-b-xl border-t border-line bg-raised px-4 py-3 max-[639px]:bottom-[57px] @2xl:-mx-5 @2xl:px-5">
        {aside}
        {/* Narrow screens have no keyboard. */}
        <span className="ml-auto hidden gap-1 text-sm text-muted @2xl:flex">
          <kbd>Ctrl</kbd>
          <kbd>Enter</kbd>
        </span>
        <button
          ref={button}
          className="button button-primary px-6 @max-2xl:ml-auto"
          type="submit"
          disabled={!canAsk}
        >
          {ask.isPending ? 'Asking …' : 'Ask'}
        </button>
      </div>
      {ask.error !== null && (
        <div className="pb-4">
          <ProblemBox error={ask.error} />
        </div>
      )}
    </form>
  );
}

/** Sends a question as a new chat, and opens the chat. */
export function useAsk(): UseMutationResult<string, Error, AskedQuestion> {
  const { call } = useSession();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (question: AskedQuestion) => {
      const { message, template = message, name, schemaText, title = titleOf(message) } = question;
      keepQuestion({ message: template, name, schemaText });
      const { chat, message: asked } = await call({
        method: 'POST',
        path: '/api/chats',
        shape: createdChatView,
        body: chatBodyOf({ ...question, title }),
        idempotencyKey: randomKey(),
      });
      // The page of the chat shows it until its stream is open.
      queries.setQueryData(askedKey(chat.id), asked);
      return chat.id;
    },
    onSuccess: (chatId) => navigate(`/chats/${chatId}`),
  });
}

const TITLE_CHARS = 100;

function titleOf(message: string): string {
  return (message.trim().split('\n')[0] ?? '').slice(0, TITLE_CHARS);
}
