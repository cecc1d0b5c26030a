/** Choice of the theme. */
import { useState, type ReactNode } from 'react';
import { applyTheme, readTheme, THEMES, type Theme } from './theme.ts';

/** Renders the choice as one field. */
export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <label className="flex items-center justify-between gap-2 px-2 py-0.5 md:py-1.5 text-muted">
      <span className="sr-only md:not-sr-only">Theme</span>
      <select
        className="min-h-11 rounded-sm md:min-h-7 border border-line bg-canvas px-1 text-sm text-ink"
        value={theme}
        onChange={({ target }) => {
          const chosen = THEMES.find((each) => each === target.value) ?? 'system';
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
