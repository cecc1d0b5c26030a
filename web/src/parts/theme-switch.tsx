/** Choice of the theme: one row of buttons, small in the rail. */
import type { ReactNode } from 'react';
import { applyTheme, THEMES, useTheme } from './theme.ts';

const SMALL = 'min-h-7 flex-1 rounded-sm border text-sm capitalize';

/** Renders the choice. */
export function ThemeSwitch({ isSmall = false }: { readonly isSmall?: boolean }): ReactNode {
  const theme = useTheme();
  const lookOf = (isChosen: boolean): string => {
    if (isSmall)
      return `${SMALL} ${isChosen ? 'border-line bg-raised text-ink' : 'border-transparent text-muted hover:text-ink'}`;
    return `button capitalize ${isChosen ? 'border-accent bg-accent-soft text-accent' : ''}`;
  };
  return (
    <div role="group" aria-label="Theme" className="flex gap-1">
      {THEMES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === theme}
          className={lookOf(each === theme)}
          onClick={() => applyTheme(each)}
        >
          {each}
        </button>
      ))}
    </div>
  );
}
