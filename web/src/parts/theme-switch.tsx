/** Theme of the page, and its choice: all of them in the settings, one button in the sidebar. */
import { type ReactNode, useSyncExternalStore } from 'react';
import { Icon } from './icon.tsx';

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

const NAMES: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

/** Renders all choices, for the settings. */
export function ThemeSwitch(): ReactNode {
  const theme = useTheme();
  return (
    <div role="group" aria-label="Theme" className="segments">
      {THEMES.map((each) => (
        <button key={each} type="button" aria-pressed={each === theme} onClick={() => applyTheme(each)}>
          {NAMES[each]}
        </button>
      ))}
    </div>
  );
}

/** Renders one button, which changes between light and dark. */
export function ThemeButton(): ReactNode {
  const theme = useTheme();
  const isDark =
    theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  const next = isDark ? 'light' : 'dark';
  return (
    <button
      type="button"
      aria-label={`${NAMES[next]} theme`}
      title={`${NAMES[next]} theme`}
      className="grid size-7 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
      onClick={() => applyTheme(next)}
    >
      <Icon name="theme" className="size-3.5" />
    </button>
  );
}
