/** Strip above the page after a link met a session: the session stays, whoever sent the link. */
import type { ReactNode } from 'react';
import { hideUnneeded, useUnneededLink } from '../session/unneeded-link.ts';

/** Renders the strip, or nothing. */
export function UnneededLinkStrip(): ReactNode {
  if (!useUnneededLink()) return null;
  return (
    <aside
      aria-label="Link"
      data-strip=""
      className="flex min-h-[47px] flex-wrap items-center justify-center gap-x-3 rounded-t-xl border-b border-line px-4 py-1.5 text-muted"
    >
      <p role="status">This browser was signed in already, and stays so. To use the link, sign out first.</p>
      <button className="button button-quiet underline" onClick={hideUnneeded}>
        Close
      </button>
    </aside>
  );
}
