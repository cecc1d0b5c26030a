/** Keyboard shortcuts of every page. Single letters do nothing inside fields, and can be turned off. */
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { MORE_PAGES, PAGES } from '../session/pages.ts';
import { readSingleKeys } from '../parts/single-keys.ts';

/** Overlays that the shortcuts open. */
export interface ShortcutActions {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
  /** True while an overlay is open, or is being loaded. Its keys are not those of the page. */
  readonly isOpen: boolean;
}

/** A second key after `g` within this time opens a page. */
const SEQUENCE_MS = 1_000;
const FIELDS = 'input, textarea, select, [contenteditable], dialog';

/** Listens for the shortcuts until the component is removed. */
export function useShortcuts({ onPalette, onHelp, isOpen }: ShortcutActions): void {
  const [, navigate] = useLocation();
  const goAt = useRef(-Infinity);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (isCommand && key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (isOpen) return;
      const isInField = target instanceof Element && target.closest(FIELDS) !== null;
      if (isInField || event.ctrlKey || event.metaKey || event.altKey || !readSingleKeys()) return;
      const isSecond = event.timeStamp - goAt.current < SEQUENCE_MS;
      goAt.current = key === 'g' ? event.timeStamp : -Infinity;
      const page = isSecond ? [...PAGES, ...MORE_PAGES].find((each) => each.key === key) : undefined;
      const isUsed = page === undefined ? runKey(key, onHelp) : true;
      if (page !== undefined) navigate(page.href);
      if (isUsed) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [navigate, onHelp, onPalette, isOpen]);
}

/** Returns false if the key has no meaning on this page. */
function runKey(key: string, onHelp: () => void): boolean {
  if (key === '?') {
    onHelp();
    return true;
  }
  if (key === '/') return focus(document.querySelector<HTMLElement>('[data-filter]'));
  if (key === '[' || key === ']') return focusNext('main [data-step]:not(:empty)', key === ']' ? 1 : -1);
  if (!/^[a-z.]$/u.test(key)) return false;
  const pressed = document.querySelector<HTMLElement>(`main [data-press="${key}"]`);
  if (pressed !== null) {
    pressed.click();
    return true;
  }
  if (key === 'j' || key === 'k') return focusNext('main li > a', key === 'j' ? 1 : -1);
  return focus(document.querySelector<HTMLElement>(`main [data-key="${key}"]`));
}

function focus(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element !== null && element !== undefined;
}

/**
 * Moves the focus among the elements of a selector. If none has the focus, it begins with the
 * first.
 */
function focusNext(selector: string, step: 1 | -1): boolean {
  const elements = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = elements.findIndex((element) => element.contains(document.activeElement));
  return focus(at === -1 ? elements[0] : elements[at + step]);
}
