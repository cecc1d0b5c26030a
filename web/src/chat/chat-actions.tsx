/** Actions of a whole chat: download, compact, delete. */
import { useState, type ReactNode } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Client, MessageView } from '@truecast/client';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { useSession } from '../session/session.tsx';

interface ActionsProps {
  readonly chatId: string;
  readonly isBusy: boolean;
}

/** Renders a button that opens the actions. */
export function ChatActions(props: ActionsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        More
      </button>
      {isOpen && <ActionsDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function ActionsDialog({
  chatId,
  isBusy,
  onClose,
}: ActionsProps & { readonly onClose: () => void }): ReactNode {
  const { client } = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isSure, setSure] = useState(false);
  const download = useMutation({
    mutationFn: async () => saveFile(`chat-${chatId}.json`, await readMessages(client, chatId)),
    onSuccess: onClose,
  });
  const compact = useMutation({
    mutationFn: () => client.chat({ id: chatId }).compact(),
    onSuccess: onClose,
  });
  const remove = useMutation({
    mutationFn: () => client.deleteChat(chatId),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['chats'] });
      navigate('/chats');
    },
  });
  const error = download.error ?? compact.error ?? remove.error;
  return (
    <Dialog label="Actions of the chat" onClose={onClose}>
      <ul className="divide-y divide-line">
        <Action about="All messages as JSON, with every attempt.">
          <button className="button" disabled={download.isPending} onClick={() => download.mutate()}>
            Download
          </button>
        </Action>
        <Action about="The model reads a summary in place of the earlier messages. They stay visible here.">
          <button className="button" disabled={isBusy || compact.isPending} onClick={() => compact.mutate()}>
            Compact
          </button>
        </Action>
        <Action about="Removes the messages of the chat. Its receipts stay.">
          <button
            className="button text-bad"
            disabled={remove.isPending}
            onClick={() => (isSure ? remove.mutate() : setSure(true))}
          >
            {isSure ? 'Delete now' : 'Delete'}
          </button>
        </Action>
      </ul>
      {error !== null && <ProblemBox error={error} />}
    </Dialog>
  );
}

function Action({ about, children }: { readonly about: string; readonly children: ReactNode }): ReactNode {
  return (
    <li className="flex items-center justify-between gap-4 px-4 py-3">
      <span className="text-muted">{about}</span>
      {children}
    </li>
  );
}

/** Maximum of the route. */
const PAGE_SIZE = 200;

async function readMessages(client: Client, chatId: string): Promise<readonly MessageView[]> {
  const all: MessageView[] = [];
  let hasMore = true;
  while (hasMore) {
    const after = all.at(-1)?.id ?? 0;
    const page = await client.chat({ id: chatId }).messages({ after, limit: PAGE_SIZE });
    all.push(...page.messages);
    hasMore = page.has_more && page.messages.length > 0;
  }
  return all;
}

function saveFile(name: string, value: unknown): void {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(value, undefined, 2)], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
