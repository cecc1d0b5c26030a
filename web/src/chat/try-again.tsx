/** Way on after a message without a typed answer failed: the same message again, with the same or another model. */
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { chatView } from '@truecast/client/internal/wire/chat';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';
import { useClient } from '../session/use-client.ts';
import { useModels } from '../session/use-models.ts';
import { questionOf, repeatedQuestion } from './repeated-question.ts';
import type { TranscriptTurn } from './transcript/turns.ts';

interface AgainProps {
  readonly chatId: string;
  readonly turn: TranscriptTurn;
}

/** Renders both controls. The message goes to the same chat, and replaces the failed one. */
export function TryAgain({ chatId, turn }: AgainProps): ReactNode {
  const client = useClient();
  const { call } = useSession();
  const queries = useQueryClient();
  const key = ['chat', chatId];
  const chat = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.chat({ id: chatId }).read({ signal }),
  });
  const [chosen, setChosen] = useState('');
  const model = chosen || chat.data?.model || '';
  const again = useMutation({
    mutationFn: async (messageId: number) => {
      if (model !== chat.data?.model) {
        const path = `/api/chats/${encodeURIComponent(chatId)}`;
        queries.setQueryData(key, await call({ method: 'PATCH', path, shape: chatView, body: { model } }));
      }
      await client.chat({ id: chatId }).edit(messageId, repeatedQuestion(turn, questionOf(turn)));
    },
  });
  const messageId = turn.user?.id;
  const ids = [...new Set([model, ...(useModels() ?? []).map(({ id }) => id)])].filter((id) => id !== '');
  if (messageId === undefined || model === '') return null;
  return (
    <div role="group" aria-label="Try again" className="mt-3 flex flex-wrap items-center gap-2">
      <button
        className="button button-primary"
        disabled={again.isPending}
        onClick={() => again.mutate(messageId)}
      >
        Try again
      </button>
      <select
        className="field w-auto max-w-full min-w-0 truncate"
        aria-label="Switch model"
        value={model}
        onChange={({ target }) => setChosen(target.value)}
      >
        {ids.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      {again.error !== null && <ProblemBox error={again.error} />}
    </div>
  );
}
