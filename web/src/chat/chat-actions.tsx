/** Actions of a whole chat: edit and run again, model, plan mode, curl, download, compact, delete. */
import { useState, type ReactNode } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { curlCommand } from '../question/code-samples.ts';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemBox } from '../parts/page.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useClient } from '../session/use-client.ts';
import { ChatSettings } from './chat-settings.tsx';
import { ERASED } from './delete-each.ts';
import { EditQuestion } from './edit-question.tsx';
import { questionOf, repeatedQuestion } from './repeated-question.ts';
import type { TranscriptTurn } from './transcript/turns.ts';
import type { Client, MessageView } from '@truecast/client';

interface ActionsProps {
  readonly chatId: string;
  readonly isBusy: boolean;
  readonly turns: readonly TranscriptTurn[];
}

/** Renders a button that opens the actions. */
export function ChatActions(props: ActionsProps): ReactNode {
  const [open, setOpen] = useState<'list' | 'edit'>();
  const close = (): void => setOpen(undefined);
  return (
    <>
      <button
        className="button"
        aria-haspopup="dialog"
        data-action="Edit, copy, download, compact or delete"
        onClick={() => setOpen('list')}
      >
        More
      </button>
      {open !== undefined && (
        <Dialog label="Actions of the chat" onClose={close}>
          {open === 'edit' ? (
            <EditQuestion {...props} onClose={close} />
          ) : (
            <ActionList {...props} onClose={close} onEdit={() => setOpen('edit')} />
          )}
        </Dialog>
      )}
    </>
  );
}

interface ListProps extends ActionsProps {
  readonly onClose: () => void;
  readonly onEdit: () => void;
}

function ActionList({ chatId, isBusy, turns, onClose, onEdit }: ListProps): ReactNode {
  const client = useClient();
  const download = useMutation({ mutationFn: () => saveChat(client, chatId), onSuccess: onClose });
  const compact = useMutation({
    mutationFn: () => client.chat({ id: chatId }).compact(),
    onSuccess: onClose,
  });
  const error = download.error ?? compact.error;
  const last = turns.findLast(({ user }) => user !== undefined);
  return (
    <>
      <h2 className="border-b border-line px-4 py-3 font-semibold">Actions of the chat</h2>
      <ul className="divide-y divide-line">
        <Action about="Changes a question, and removes what came after it.">
          <button className="button" disabled={last === undefined} onClick={onEdit}>
            Edit and run again
          </button>
        </Action>
        <ChatSettings chatId={chatId} isBusy={isBusy} />
        <Action about="The address of this chat, for every browser that is signed in.">
          <CopyButton text={`${location.origin}/chats/${chatId}`} label="Copy link" isQuiet={false} />
        </Action>
        {last !== undefined && (
          <Action about="The last question, as a command for this chat.">
            <CopyButton text={askAgainCommand(chatId, last)} label="Copy as curl" isQuiet={false} />
          </Action>
        )}
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
        <DeleteAction chatId={chatId} />
      </ul>
      {error !== null && (
        <div className="p-4">
          <ProblemBox error={error} />
        </div>
      )}
    </>
  );
}

function askAgainCommand(chatId: string, turn: TranscriptTurn): string {
  const path = `/api/chats/${chatId}/messages`;
  return curlCommand(`${location.origin}${path}`, repeatedQuestion(turn, questionOf(turn)));
}

function DeleteAction({ chatId }: { readonly chatId: string }): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isSure, setSure] = useState(false);
  const remove = useMutation({
    mutationFn: () => client.deleteChat(chatId),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['chats'] });
      navigate('/chats');
    },
  });
  return (
    <>
      <Action about={ERASED}>
        <button
          className="button text-bad"
          disabled={remove.isPending}
          onClick={() => (isSure ? remove.mutate() : setSure(true))}
        >
          {isSure ? 'Delete now' : 'Delete'}
        </button>
      </Action>
      {remove.error !== null && <ProblemBox error={remove.error} />}
    </>
  );
}

function Action({ about, children }: { readonly about: string; readonly children: ReactNode }): ReactNode {
  return (
    <li className="grid grid-cols-[152px_minmax(0,1fr)] items-center gap-4 px-4 py-2.5">
      {children}
      <span className="text-sm text-muted">{about}</span>
    </li>
  );
}

/** Maximum page size of the route. */
const PAGE_SIZE = 200;

async function saveChat(client: Client, chatId: string): Promise<void> {
  const messages = await readMessages(client, chatId);
  saveFile(`chat-${chatId}.json`, JSON.stringify(messages, undefined, 2));
}

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
