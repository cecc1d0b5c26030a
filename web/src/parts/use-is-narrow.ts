/** Detection of a narrow window. */
import { useSyncExternalStore } from 'react';

/** The breakpoint of the styles (`max-md`). */
const NARROW = '(max-width: 767px)';

/** Returns true under 768 pixels, and renders again when that changes. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
}

function subscribe(onChange: () => void): () => void {
  const media = matchMedia(NARROW);
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
}
