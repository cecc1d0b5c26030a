/** Theme of the page: the system's, light or dark. */
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

/** All choices, in the order of the switch. */
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
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
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
