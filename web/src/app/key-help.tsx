/** List of all keyboard shortcuts. */
import type { ReactNode } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { MORE_PAGES, PAGES } from '../session/pages.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Find a page, an action of the page, a chat or an id'],
  ['Ctrl Enter', 'Send the form'],
  ['?', 'Show these keys'],
  ['/', 'Filter the list'],
  ['j', 'Next row, or the receipt after this one'],
  ['k', 'Previous row, or the receipt before this one'],
  ['[', 'Previous step of a chat'],
  [']', 'Next step of a chat'],
  ['.', 'Follow the end of a live chat'],
  ['v', 'Value of a chat. ↑ ↓ move, ← folds, → opens, Enter copies'],
  ['t', 'Timeline of a chat'],
  ['Space', 'Play or pause a run'],
  ['← →', 'Previous or next line of a run'],
  ['Shift ← →', 'Previous or next turn of a run'],
  ['Home End', 'First or last line of a run'],
  ['l', 'Follow the end of a live run'],
  ['s', 'Stop a turn or a run, after a confirmation'],
  ['r', 'Retry a run, after a confirmation'],
  ['c', 'Continue a run that has ended'],
  ['Esc', 'Close'],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const pages = [...PAGES, ...MORE_PAGES].map(({ key, name }) => [`g ${key}`, name] as const);
  return (
    <Dialog label="Keys" isWide onClose={onClose}>
      <div className="flex items-center justify-between border-b border-line px-5 py-3">
        <h2 className="text-base font-semibold">Keys</h2>
        <button className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl className="gap-x-8 px-5 py-4 text-sm min-[640px]:columns-2">
        {[...KEYS, ...pages].map(([keys, text]) => (
          <div key={keys} className="grid break-inside-avoid grid-cols-[88px_minmax(0,1fr)] gap-x-3 py-1">
            <dt className="flex items-center gap-1">
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd className="text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
