/** Frame of the console: the rail next to every page, or the bar below it on narrow screens. */
import { type ReactNode, lazy, Suspense, useCallback, useState, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { BrandMark } from '../parts/mark.tsx';
import { MORE_PAGES, usePages } from '../session/pages.ts';
import { ThemeSwitch } from '../parts/theme-switch.tsx';
import { useOptionalSession } from '../session/session.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { useQueryClient } from '@tanstack/react-query';
import { probeConnection, useLostAt } from '../session/connection.ts';

export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const pages = usePages();
  const [address] = useLocation();
  const inBar = pages.filter(({ isInSettings }) => isInSettings !== true);
  return (
    <div className="md:grid md:min-h-dvh md:grid-cols-[208px_minmax(0,1fr)]">
      <a
        href="#page"
        className="button button-primary absolute top-2 left-2 z-20 -translate-y-16 focus:translate-y-0"
      >
        Skip to the page
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken px-3 py-5 md:flex">
        <Link href="/" className="rounded-sm px-2">
          <BrandMark />
        </Link>
        <nav aria-label="Pages" className="mt-6 flex flex-col gap-0.5">
          {pages.map(({ href, name }) => (
            <RailLink key={href} href={href} name={name} />
          ))}
        </nav>
        <nav aria-label="More" className="mt-auto flex flex-col gap-0.5">
          {MORE_PAGES.map(({ href, name }) => (
            <RailLink key={href} href={href} name={name} />
          ))}
        </nav>
        <div className="mt-3 border-t border-line px-1 pt-3">
          <ThemeSwitch isSmall />
        </div>
      </aside>
      <div className="min-w-0 pb-16 md:pb-0">
        <ConnectionStrip />
        {children}
      </div>
      <nav
        aria-label="Pages, narrow"
        className="fixed inset-x-0 bottom-0 z-10 grid auto-cols-fr grid-flow-col border-t border-line bg-sunken md:hidden"
      >
        {inBar.map(({ href, name }) => (
          <BarLink key={href} href={href} name={name} isActive={isActivePage(href, address)} />
        ))}
        <BarLink
          href="/settings"
          name="More"
          isActive={!inBar.some(({ href }) => isActivePage(href, address))}
        />
      </nav>
      <Overlays />
    </div>
  );
}

interface LinkProps {
  readonly href: string;
  readonly name: string;
}

/** Returns true if a page of the rail contains the address. */
function isActivePage(href: string, address: string): boolean {
  // The address of a receipt contains its chat, but belongs to the receipts.
  if (/^\/chats\/[^/]+\/requests\//u.test(address)) return href === '/requests';
  // The history of a schema belongs to the quality page.
  if (address.startsWith('/schemas/')) return href === '/quality';
  // Scenarios are a list of the stage.
  if (address === '/scenarios') return href === '/stage';
  return address === href || (href !== '/' && address.startsWith(`${href}/`));
}

function RailLink({ href, name }: LinkProps): ReactNode {
  const [address] = useLocation();
  const isActive = isActivePage(href, address);
  return (
    <Link
      href={href}
      aria-current={isActive ? 'page' : undefined}
      className={`rounded-sm px-2 py-1.5 ${isActive ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:text-ink'}`}
    >
      {name}
    </Link>
  );
}

function BarLink({ href, name, isActive }: LinkProps & { readonly isActive: boolean }): ReactNode {
  return (
    <Link
      href={href}
      aria-current={isActive ? 'page' : undefined}
      className={`flex min-h-12 items-center justify-center border-t-2 text-sm ${isActive ? 'border-accent font-semibold text-accent' : 'border-transparent text-muted'}`}
    >
      {name}
    </Link>
  );
}

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: palette }) => ({ default: palette })));
const KeyHelp = lazy(() => import('./key-help.tsx').then(({ KeyHelp: help }) => ({ default: help })));

/** Renders the open overlay. The palette needs a session. */
function Overlays(): ReactNode {
  const [open, setOpen] = useState<'palette' | 'help'>();
  const hasSession = useOptionalSession() !== undefined;
  const close = useCallback(() => setOpen(undefined), []);
  const onPalette = useCallback(() => setOpen('palette'), []);
  const onHelp = useCallback(() => setOpen('help'), []);
  useShortcuts({ onPalette, onHelp });
  return (
    <Suspense fallback={null}>
      {open === 'palette' && hasSession && <Palette onClose={close} />}
      {open === 'help' && <KeyHelp onClose={close} />}
    </Suspense>
  );
}

const RETRY_SECONDS = 3;

/** Renders the strip, or nothing. After a reconnect, all lists are read again. */
function ConnectionStrip(): ReactNode {
  const lostAt = useLostAt();
  return lostAt === undefined ? null : <Strip />;
}

function Strip(): ReactNode {
  const queries = useQueryClient();
  const [seconds, setSeconds] = useState(RETRY_SECONDS);
  useEffect(() => () => void queries.invalidateQueries(), [queries]);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((left) => (left <= 1 ? RETRY_SECONDS : left - 1)), 1_000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (seconds === RETRY_SECONDS) void probeConnection();
  }, [seconds]);
  return (
    <aside
      aria-label="Connection"
      data-strip=""
      className="sticky top-0 z-10 flex flex-wrap items-center justify-center gap-x-3 border-b border-warn bg-warn-soft px-4 py-1.5 text-warn"
    >
      <p role="status" className="font-medium">
        Connection lost.
      </p>
      <span>Retrying in {seconds} s.</span>
      <button className="button button-quiet text-warn underline" onClick={() => void probeConnection()}>
        Retry now
      </button>
    </aside>
  );
}
