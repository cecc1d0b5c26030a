/** Question of the agent in a chat: its text, and a button for each answer to choose from. */
import type { ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { Receipt } from '@truecast/client';
import { ProblemBox } from '../parts/page.tsx';
import { useClient } from '../session/use-client.ts';
import { questionIn } from '../value/question-in.ts';
import { requiredAnswer } from './repeated-question.ts';
import type { TranscriptTurn } from './transcript/turns.ts';

interface AskedProps {
  readonly chatId: string;
  /** The last required answer of the chat. */
  readonly format: TranscriptTurn['format'];
  readonly receipt: Receipt | undefined;
}

/** Renders the question above the composer, until it is answered. The answer is the next message. */
export function AskedQuestion({ chatId, format, receipt }: AskedProps): ReactNode {
  const client = useClient();
  const send = useMutation({
    mutationFn: (content: string) => client.chat({ id: chatId }).send({ content, ...requiredAnswer(format) }),
  });
  const question = format === undefined ? undefined : questionIn(receipt?.value, format.schema_text);
  if (question === undefined || receipt?.status !== 'succeeded') return null;
  return (
    <section aria-label="Question" className="panel mt-8 p-3">
      <p className="font-semibold break-words whitespace-pre-wrap">{question.text}</p>
      {question.options.length > 0 && (
        <div className="mt-2 flex flex-wrap gap-2">
          {question.options.map((option, index) => (
            <button
              key={index}
              type="button"
              className="button"
              disabled={send.isPending || send.isSuccess}
              onClick={() => send.mutate(option)}
            >
              {option}
            </button>
          ))}
        </div>
      )}
      <p className="mt-2 text-sm text-muted">The next message is the answer.</p>
      {send.error !== null && <ProblemBox error={send.error} />}
    </section>
  );
}
