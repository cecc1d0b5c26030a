/** Command palette: pages, actions of the open page, chats by title, and pasted ids. */
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { chatPageView } from '@truecast/client/internal/wire/chat';
import { Dialog } from '../parts/dialog.tsx';
import { relativeTime } from '../parts/format.ts';
import { signOut } from '../session/access-token.ts';
import { useSession } from '../session/session.tsx';
import { MORE_PAGES, usePages } from '../session/pages.ts';

interface Target {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly open: () => void;
}

const SHOWN_CHATS = 6;
const HASH = /^[\da-f]{64}$/u;
const ID = /^[\da-f]{8}-[\da-f-]{27}$/u;

export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const targets = useTargets(text.trim());
  const chosen = Math.min(at, targets.length - 1);
  const open = (target: Target | undefined): void => {
    if (target === undefined) return;
    onClose();
    target.open();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((chosen + step + targets.length) % Math.max(1, targets.length));
    else if (event.key === 'Enter') open(targets[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Find a page, an action, a chat or an id" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        className="w-full border-b border-line bg-transparent px-4 py-3 text-lg outline-none placeholder:text-muted"
        placeholder="Page, action, title of a chat, or id"
        aria-label="Page, action, title of a chat, or id"
        aria-expanded
        aria-controls="palette-targets"
        aria-activedescendant={targets[chosen] && `palette-${chosen}`}
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
      />
      <Results targets={targets} chosen={chosen} onChoose={setAt} onOpen={open} />
      {targets.length === 0 && <p className="px-5 pb-4 text-muted">Nothing has this name.</p>}
    </Dialog>
  );
}

interface ResultsProps {
  readonly targets: readonly Target[];
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly onOpen: (target: Target) => void;
}

function Results({ targets, chosen, onChoose, onOpen }: ResultsProps): ReactNode {
  return (
    <ul id="palette-targets" role="listbox" aria-label="Results" className="max-h-[50dvh] overflow-auto p-2">
      {targets.map((target, index) => (
        <li
          key={target.key}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === chosen}
          className={`flex min-h-9 cursor-pointer items-center gap-4 rounded-sm px-3 ${index === chosen ? 'bg-accent-soft text-accent-ink' : ''}`}
          onMouseMove={() => onChoose(index)}
          onClick={() => onOpen(target)}
        >
          <span className="min-w-0 flex-1 truncate">{target.name}</span>
          <span className="max-w-2/5 truncate text-sm text-muted">{target.kind}</span>
        </li>
      ))}
    </ul>
  );
}

function useTargets(text: string): readonly Target[] {
  const { call } = useSession();
  const [, navigate] = useLocation();
  const listed = usePages();
  // The page does not change while the palette covers it.
  const [pageActions] = useState(readPageActions);
  const link = (kind: string, href: string, name: string): Target => ({
    key: href,
    name,
    kind,
    open: () => navigate(href),
  });
  const { data } = useQuery({
    queryKey: ['chats', 'palette', text],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call({
        method: 'GET',
        path: `/api/chats${toQuery({ limit: SHOWN_CHATS, q: text === '' ? undefined : text })}`,
        shape: chatPageView,
        signal,
      }),
  });
  const isNamed = ({ name }: { readonly name: string }): boolean =>
    name.toLowerCase().includes(text.toLowerCase());
  const pages = [...listed, ...MORE_PAGES].filter(isNamed).map(({ href, name }) => link('page', href, name));
  const actions = pageActions
    .filter(isNamed)
    .map(({ name, run }): Target => ({ key: `action ${name}`, name, kind: 'on this page', open: run }));
  const chats = (data?.chats ?? []).map(({ id, title, model, created_at: at }) =>
    // Titles can begin with the same 80 characters.
    link(
      `chat · ${model} · ${relativeTime(at, Date.now())}`,
      `/chats/${id}`,
      title === '' ? 'Untitled chat' : title,
    ),
  );
  const pasted = ID.test(text)
    ? // Chats and requests have ids of the same form.
      [link('id', `/chats/${text}`, `Chat ${text}`), link('id', `/requests/${text}`, `Receipt ${text}`)]
    : HASH.test(text)
      ? [link('hash', `/schemas/${text}`, `Schema ${text}`)]
      : [];
  const own = [{ key: 'sign-out', name: 'Sign out', kind: 'this browser', open: () => void signOut() }];
  return [...pasted, ...pages, ...actions, ...own.filter(isNamed), ...chats];
}

export interface PageAction {
  readonly name: string;
  readonly run: () => void;
}

/** The attribute can contain a name that is clearer than the text of the button. */
const ACTIONS = '#page > header :is(a, button):not([data-crumb]), #page [data-action]';

/** Returns the actions that can be used now, each name once. */
export function readPageActions(): readonly PageAction[] {
  const actions = new Map<string, PageAction>();
  for (const element of document.querySelectorAll<HTMLElement>(ACTIONS)) {
    const name = element.dataset['action'] || element.ariaLabel || element.textContent.trim();
    const isUsable = element.checkVisibility() && !element.matches(':disabled');
    if (name !== '' && isUsable && !actions.has(name)) {
      actions.set(name, { name, run: () => element.click() });
    }
  }
  return [...actions.values()];
}
