/** Keys of the stage, outside of fields. */
import { useEffect, useRef } from 'react';
import { readSingleKeys } from '../app/single-keys.ts';

/** Elements that use arrow keys, Space, Home or End themselves. */
const USED = 'input, textarea, select, pre, dialog';
/** Elements that Space presses. */
const PRESSED = 'button, a, summary';

/** Calls `onKey` for each key, until the component is removed. It returns true if it used the key. */
export function useStageKeys(onKey: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return;
      const isTurnOnSlider = shiftKey && target.matches('input[type=range]');
      if (
        (target.closest(USED) !== null && !isTurnOnSlider) ||
        document.querySelector('dialog[open]') !== null
      )
        return;
      if (key === ' ' && (target.closest(PRESSED) !== null || !readSingleKeys())) return;
      if (latest.current(event)) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
