/** Hint next to a button: the keys that send its form. */
import type { ReactNode } from 'react';

/** Renders the keys. Narrow screens have no keyboard. */
export function SubmitHint(): ReactNode {
  return (
    <span className="hidden text-sm text-muted md:inline">
      <kbd>Ctrl</kbd> <kbd>Enter</kbd>
    </span>
  );
}
