/** Theme of the page, and its choice: one row of buttons, small in the rail. */
import { type ReactNode, useSyncExternalStore } from 'react';

type Theme = 'system' | 'light' | 'dark';

/** All choices, in the order of the switch. */
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'truecast-theme';
const listeners = new Set<() => void>();

/** Returns the stored choice. */
export function readTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** Stores a choice, and applies it. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  for (const listener of listeners) listener();
}

/** Returns the choice. Every switch of the page shows the same one. */
function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const SMALL = 'min-h-7 flex-1 rounded-sm border text-sm capitalize';

export function ThemeSwitch({ isSmall = false }: { readonly isSmall?: boolean }): ReactNode {
  const theme = useTheme();
  const lookOf = (isChosen: boolean): string => {
    if (isSmall) {
      return `${SMALL} ${isChosen ? 'border-line bg-raised text-ink' : 'border-transparent text-muted hover:text-ink'}`;
    }
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
