/** Bar below the page on narrow screens: the pages of every day, and a drawer with all of them. */
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Sheet } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { ThemeSwitch } from '../parts/theme-switch.tsx';
import { isActivePage, MORE_PAGES, usePages, type ListedPage } from '../session/pages.ts';

const ITEM = 'flex min-h-14 flex-col items-center justify-center gap-0.5 text-2xs font-medium';

export function TabBar(): ReactNode {
  const pages = usePages();
  const [address] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const inBar = pages.filter(({ isInBar }) => isInBar === true);
  const lookOf = (isActive: boolean): string => `${ITEM} ${isActive ? 'text-accent-ink' : 'text-muted'}`;
  return (
    <>
      <nav
        aria-label="Pages, narrow"
        className="tab-bar fixed inset-x-0 bottom-0 z-10 auto-cols-fr grid-flow-col border-t border-line bg-page"
      >
        {inBar.map(({ href, name, icon }) => {
          const isActive = isActivePage(href, address);
          return (
            <Link
              key={href}
              href={href}
              aria-current={isActive ? 'page' : undefined}
              className={lookOf(isActive)}
            >
              <Icon name={icon} className="size-5" />
              {name}
            </Link>
          );
        })}
        <button
          type="button"
          aria-haspopup="dialog"
          className={lookOf(!inBar.some(({ href }) => isActivePage(href, address)))}
          onClick={() => setOpen(true)}
        >
          <Icon name="menu" className="size-5" />
          Menu
        </button>
      </nav>
      {isOpen && <Drawer pages={[...pages, ...MORE_PAGES]} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DrawerProps {
  readonly pages: readonly ListedPage[];
  readonly onClose: () => void;
}

function Drawer({ pages, onClose }: DrawerProps): ReactNode {
  const [address] = useLocation();
  return (
    <Sheet label="All pages" onClose={onClose}>
      <nav aria-label="All pages" className="grid grid-cols-2 gap-1">
        {pages.map(({ href, name, icon }) => (
          <Link
            key={href}
            href={href}
            aria-current={isActivePage(href, address) ? 'page' : undefined}
            className="flex min-h-11 items-center gap-3 rounded-md px-3 font-medium aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-ink"
            onClick={onClose}
          >
            <Icon name={icon} />
            {name}
          </Link>
        ))}
      </nav>
      <div className="mt-4 flex items-center justify-between border-t border-line pt-4">
        <span className="text-sm text-muted">Theme</span>
        <ThemeSwitch />
      </div>
    </Sheet>
  );
}
