/** Choice of the theme. */
import { useState, type ReactNode } from 'react';
import { applyTheme, readTheme, THEMES, type Theme } from './theme.ts';

/** Renders the choice as one row of buttons. */
export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <div role="group" aria-label="Theme" className="flex gap-1">
      {THEMES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === theme}
          className={`button ${each === theme ? 'border-accent bg-accent-soft text-accent' : ''}`}
          onClick={() => {
            applyTheme(each);
            setTheme(each);
          }}
        >
          {each}
        </button>
      ))}
    </div>
  );
}
