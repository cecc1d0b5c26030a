/** Overlays that the keyboard opens on every page: the palette, and the list of keys. */
import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react';
import { useOptionalSession } from '../session/session.tsx';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette: palette }) => ({ default: palette })));
const KeyHelp = lazy(() => import('./key-help.tsx').then(({ KeyHelp: help }) => ({ default: help })));

/** Renders the open overlay. The palette needs a session. */
export function Overlays(): ReactNode {
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
