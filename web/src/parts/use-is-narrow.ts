/** Detection of a narrow window. */
import { useSyncExternalStore } from 'react';

/** The sheet is below 42 rem (`@2xl`), because the collapsed sidebar has 64 pixels. */
const NARROW = '(max-width: 735px)';

/** Returns true if the page is narrow, and renders again when that changes. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
}

function subscribe(onChange: () => void): () => void {
  const media = matchMedia(NARROW);
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
}
