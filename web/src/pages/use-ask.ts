/** Sends a question as a new chat, and opens the chat. */
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useSession } from '../session/session.tsx';
import { formatOf, keepQuestion, type Question } from './question.ts';

/** A question for a model. */
export interface AskedQuestion extends Question {
  /** @default the server's default model */
  readonly model?: string | undefined;
}

/** Returns the command. */
export function useAsk(): UseMutationResult<string, Error, AskedQuestion> {
  const { client } = useSession();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async ({ model, ...question }: AskedQuestion) => {
      keepQuestion(question);
      const chat = client.chat({ title: titleOf(question.message), ...(model !== undefined && { model }) });
      const { chatId } = await chat.send({
        content: question.message,
        response_format: formatOf(question),
      });
      return chatId;
    },
    onSuccess: (chatId) => navigate(`/chats/${chatId}`),
  });
}

const TITLE_CHARS = 100;

function titleOf(message: string): string {
  return (message.trim().split('\n')[0] ?? '').slice(0, TITLE_CHARS);
}
