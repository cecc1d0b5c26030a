/** Frame of the console: the sidebar, the page as a sheet beside it, and the bar of narrow screens. */
import { type ComponentType, type ReactNode, lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { probeConnection, useLostAt } from '../session/connection.ts';
import { useOptionalSession } from '../session/session.tsx';
import { Sidebar } from './sidebar.tsx';
import { TabBar } from './tab-bar.tsx';
import { UnneededLinkStrip } from './unneeded-link-strip.tsx';
import { useShortcuts } from './use-shortcuts.ts';

type Overlay = 'palette' | 'help';

export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const [open, setOpen] = useState<Overlay>();
  const hasSession = useOptionalSession() !== undefined;
  const close = useCallback(() => setOpen(undefined), []);
  const onPalette = useCallback(() => setOpen(hasSession ? 'palette' : undefined), [hasSession]);
  const onHelp = useCallback(() => setOpen('help'), []);
  useShortcuts({ onPalette, onHelp, isOpen: open !== undefined });
  return (
    <div className="frame">
      <a
        href="#page"
        className="button button-primary absolute top-2 left-2 z-20 -translate-y-16 focus:translate-y-0"
      >
        Skip to the page
      </a>
      <Sidebar onSearch={onPalette} />
      <div className="sheet">
        <ConnectionStrip />
        <UnneededLinkStrip />
        {children}
        <Overlays open={open} onClose={close} hasSession={hasSession} />
      </div>
      <TabBar />
    </div>
  );
}

const loadPalette = (): Promise<{ readonly default: ComponentType<{ readonly onClose: () => void }> }> =>
  import('./palette.tsx').then(({ Palette: palette }) => ({ default: palette }));
const Palette = lazy(loadPalette);
const KeyHelp = lazy(() => import('./key-help.tsx').then(({ KeyHelp: help }) => ({ default: help })));

interface OverlaysProps {
  readonly open: Overlay | undefined;
  readonly onClose: () => void;
  readonly hasSession: boolean;
}

/** Renders the open overlay. */
function Overlays({ open, onClose, hasSession }: OverlaysProps): ReactNode {
  // Read before it is opened: letters that are typed while it loads would be lost.
  useEffect(() => {
    if (!hasSession) return undefined;
    const load = (): void => void loadPalette().catch(() => undefined);
    if (document.readyState === 'complete') load();
    addEventListener('load', load);
    return () => removeEventListener('load', load);
  }, [hasSession]);
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <Palette onClose={onClose} />}
      {open === 'help' && <KeyHelp onClose={onClose} />}
    </Suspense>
  );
}

const RETRY_SECONDS = 3;

/** Renders the strip, or nothing. */
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
      className="sticky top-0 z-10 flex min-h-[47px] flex-wrap items-center justify-center gap-x-3 rounded-t-xl border-b border-warn-edge bg-warn-soft px-4 py-1.5 text-warn"
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
