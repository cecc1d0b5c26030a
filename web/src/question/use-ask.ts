/** Sends a question as a new chat, and opens the chat. */
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { randomKey } from '@truecast/client/internal/http-caller';
import { createdChatView } from '@truecast/client/internal/wire/chat';
import { useSession } from '../session/session.tsx';
import { chatBodyOf, keepQuestion, type AskedQuestion } from './question.ts';

export function useAsk(): UseMutationResult<string, Error, AskedQuestion> {
  const { call } = useSession();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (question: AskedQuestion) => {
      const { message, name, schemaText, title = titleOf(message) } = question;
      keepQuestion({ message, name, schemaText });
      const { chat } = await call({
        method: 'POST',
        path: '/api/chats',
        shape: createdChatView,
        body: chatBodyOf({ ...question, title }),
        idempotencyKey: randomKey(),
      });
      return chat.id;
    },
    onSuccess: (chatId) => navigate(`/chats/${chatId}`),
  });
}

const TITLE_CHARS = 100;

function titleOf(message: string): string {
  return (message.trim().split('\n')[0] ?? '').slice(0, TITLE_CHARS);
}
