/** Question of an earlier request, to ask it again. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { requestDetailView } from '@truecast/client/internal/wire/request';
import { turnText } from '../chat/transcript/turns.ts';
import type { Question } from '../question/question.ts';
import { useSession } from '../session/session.tsx';
import { indentJson } from '../json/indent-json.ts';

/** A question and the model that answered it. */
export interface CopiedQuestion extends Question {
  readonly model: string | undefined;
}

/** Reads the question of a request. Without an id, nothing is read. */
export function useCopiedQuestion(requestId: string): UseQueryResult<CopiedQuestion> {
  const { call, client } = useSession();
  return useQuery({
    queryKey: ['question', requestId],
    enabled: requestId !== '',
    queryFn: async ({ signal }) => {
      const path = `/api/requests/${encodeURIComponent(requestId)}`;
      const { request } = await call({ method: 'GET', path, shape: requestDetailView, signal });
      const { chat_id: id, message_id: messageId = 1, model } = request;
      const page = await client.chat({ id }).messages({ after: messageId - 1, limit: 1, signal });
      const [message] = page.messages;
      const format = message?.content.find((part) => part.type === 'response_format');
      return {
        message: message === undefined ? '' : turnText(message),
        name: format?.name ?? '',
        schemaText: indentJson(format?.schema_text ?? '{}'),
        model,
      };
    },
  });
}
