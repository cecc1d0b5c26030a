/** Dialog that deletes chosen chats: the loss, the progress, and each chat that remains. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ServerError } from '@truecast/client';
import { randomKey } from '@truecast/client/internal/calls/http-caller';
import type { ListedChatView } from '@truecast/client/internal/wire/chat';
import { nothing } from '@truecast/core/internal/shape/shape';
import { CodeText } from '../parts/code/text-panel.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { countText, plural } from '../parts/format.ts';
import { useSession } from '../session/session.tsx';
import { headline } from './chat-rows.tsx';
import { deleteEach, ERASED, type Deletion } from './delete-each.ts';

interface DeleteProps {
  /** The chosen chats. The list below the dialog changes while they are deleted. */
  readonly chats: readonly ListedChatView[];
  readonly onClose: () => void;
}

/** Renders the dialog. While it deletes, Escape stops it, and its result stays visible. */
export function DeleteChats({ chats, onClose }: DeleteProps): ReactNode {
  const { step, gone, refused, left, start, stop } = useDeletion(chats);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The pressed button is gone.
    if (step !== 'ask') heading.current?.focus();
  }, [step]);
  const title = {
    ask: `Delete ${plural(chats.length, 'chat')}?`,
    busy: `Deleting ${plural(chats.length, 'chat')}`,
    done:
      left.length === 0 ? `${plural(gone, 'chat')} deleted` : `${plural(left.length, 'chat')} not deleted`,
  }[step];
  return (
    <Dialog label="Delete chats" onClose={onClose} {...(step === 'busy' && { onDismiss: stop })}>
      <div className="space-y-4 px-5 py-4">
        <h2 ref={heading} tabIndex={-1} className="text-lg font-semibold">
          {title}
        </h2>
        {step === 'ask' ? <Losses chats={chats} /> : <Progress gone={gone} count={chats.length} />}
        {step === 'done' && left.length > 0 && <Left chats={left} refused={refused} />}
        <div className="flex flex-wrap gap-2">
          {step !== 'busy' && left.length > 0 && (
            <button type="button" className="button text-bad" onClick={() => void start()}>
              {step === 'ask' ? 'Delete' : 'Try again with'} {plural(left.length, 'chat')}
            </button>
          )}
          {step === 'busy' ? (
            <button type="button" className="button" onClick={stop}>
              Stop
            </button>
          ) : (
            <button type="button" className="button" onClick={onClose}>
              {step === 'ask' ? 'Keep' : 'Close'}
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

interface DeletionState {
  readonly step: 'ask' | 'busy' | 'done';
  /** Number of chats that the server no longer has. */
  readonly gone: number;
  readonly refused: Deletion['refused'];
  /** The other chats: refused ones, and those that were not tried. */
  readonly left: readonly ListedChatView[];
  readonly start: () => Promise<void>;
  /** Starts no further deletion. */
  readonly stop: () => void;
}

const NONE: Deletion = { deleted: [], refused: new Map() };

function useDeletion(chats: readonly ListedChatView[]): DeletionState {
  const remove = useRemove();
  const queries = useQueryClient();
  const { onError } = useSession();
  const [step, setStep] = useState<DeletionState['step']>('ask');
  const [{ deleted, refused }, setDeletion] = useState(NONE);
  const stopping = useRef<AbortController>(undefined);
  const stop = (): void => stopping.current?.abort();
  useEffect(() => () => stopping.current?.abort(), []);
  const gone = new Set(deleted);
  const left = chats.filter(({ id }) => !gone.has(id));
  const start = async (): Promise<void> => {
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    setStep('busy');
    const onProgress = (next: Deletion): void =>
      setDeletion({ deleted: [...deleted, ...next.deleted], refused: next.refused });
    const done = await deleteEach({ ids: left.map(({ id }) => id), remove, onProgress, signal });
    for (const error of done.refused.values()) onError(error);
    // The result comes with the new list, so that the focus does not return to a button that disappears.
    await Promise.all(['chats', 'requests'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    setStep('done');
  };
  return { step, gone: gone.size, refused, left, start, stop };
}

/** Deletes a chat. One that is gone already, perhaps with the chat that started it, is deleted too. */
function useRemove(): (id: string) => Promise<void> {
  const { call } = useSession();
  return async (id) => {
    // A second deletion changes nothing. The key repeats one that is refused for a moment, or whose connection is lost.
    const retried = { idempotencyKey: randomKey(), shape: nothing };
    try {
      await call({ method: 'DELETE', path: `/api/chats/${encodeURIComponent(id)}`, ...retried });
    } catch (error) {
      if (!ServerError.isInstance(error) || error.statusCode !== 404) throw error;
    }
  };
}

function Losses({ chats }: Pick<DeleteProps, 'chats'>): ReactNode {
  const running = chats.filter(({ status }) => status === 'running' || status === 'interrupting').length;
  return (
    <>
      <p className="text-muted">{ERASED} This cannot be undone.</p>
      {running > 0 && (
        <p className="text-warn">
          {running === 1
            ? '1 of them runs: its turn ends'
            : `${countText(running)} of them run: their turns end`}{' '}
          without an answer.
        </p>
      )}
      <ul
        aria-label="Chats to delete"
        tabIndex={0}
        className="max-h-60 divide-y divide-line overflow-y-auto rounded-sm border border-line"
      >
        {chats.map((chat) => (
          <li key={chat.id} className="truncate px-3 py-1.5" title={headline(chat)}>
            {headline(chat)}
          </li>
        ))}
      </ul>
    </>
  );
}

interface ProgressProps {
  readonly gone: number;
  readonly count: number;
}

function Progress({ gone, count }: ProgressProps): ReactNode {
  return (
    <div>
      <progress className="w-full accent-accent" aria-label="Deleted chats" value={gone} max={count} />
      <p role="status" className="text-sm text-muted">
        {countText(gone)} of {plural(count, 'chat')} deleted.
      </p>
    </div>
  );
}

interface LeftProps {
  readonly chats: readonly ListedChatView[];
  readonly refused: Deletion['refused'];
}

/** The chats that were not deleted, and why. */
function Left({ chats, refused }: LeftProps): ReactNode {
  return (
    <>
      <p className="text-muted">They are unchanged, and stay selected in the list.</p>
      <ul
        aria-label="Chats that were not deleted"
        tabIndex={0}
        className="max-h-60 divide-y divide-line overflow-y-auto rounded-sm border border-line"
      >
        {chats.map((chat) => (
          <li key={chat.id} className="px-3 py-1.5">
            <span className="block truncate font-medium" title={headline(chat)}>
              {headline(chat)}
            </span>
            <span className="block text-sm break-words text-bad">
              <CodeText text={refused.get(chat.id)?.message ?? 'Stopped before it was deleted.'} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
