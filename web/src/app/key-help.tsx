/** List of all keyboard shortcuts. */
import type { ReactNode } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { MORE_PAGES, PAGES } from '../session/pages.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Find a page, an action of the page, a chat or an id'],
  ['Ctrl Enter', 'Send the form'],
  ['?', 'Show these keys'],
  ['/', 'Filter the list'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['[', 'Previous step of a chat'],
  [']', 'Next step of a chat'],
  ['.', 'Follow the end of a live chat'],
  ['v', 'Value of a chat'],
  ['t', 'Timeline of a chat'],
  ['Space', 'Play or pause a run'],
  ['← →', 'Previous or next line of a run'],
  ['Shift ← →', 'Previous or next turn of a run'],
  ['Home End', 'First or last line of a run'],
  ['l', 'Follow the end of a live run'],
  ['s', 'Stop a turn, after a confirmation'],
  ['Esc', 'Close'],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const pages = [...PAGES, ...MORE_PAGES].map(({ key, name }) => [`g ${key}`, name] as const);
  return (
    <Dialog label="Keys" onClose={onClose}>
      <div className="px-5 py-4">
        <h2 className="mb-3 text-lg font-semibold">Keys</h2>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-2">
          {[...KEYS, ...pages].map(([keys, text]) => (
            <div key={keys} className="contents">
              <dt className="flex gap-1">
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd className="text-muted">{text}</dd>
            </div>
          ))}
        </dl>
        <button className="button mt-5" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
