/**
 * Follows the end of a live page until the reader scrolls up, then offers a button back to the end.
 */
import { useEffect, useRef, useState, type ReactNode } from 'react';

/** Maximum distance from the end at which the page follows it. */
const NEAR_PX = 80;

const CORNER = 'fixed right-4 bottom-20';

interface FollowProps {
  readonly isLive: boolean;
  /** Increases as the page grows. */
  readonly version: number;
  /** Number of steps on the page. */
  readonly steps: number;
  /** Place of the button. @default the lower right corner of the window */
  readonly place?: string;
}

/** Renders the button while the end is out of view, with the number of steps since then. */
export function FollowEnd({ isLive, version, steps, place = CORNER }: FollowProps): ReactNode {
  const isFollowing = useRef(false);
  const [isAway, setAway] = useState(false);
  const [seen, setSeen] = useState(0);
  useEffect(() => {
    const onScroll = (): void => {
      isFollowing.current = window.scrollY > 0 && isNearEnd();
      setAway(!isNearEnd());
    };
    onScroll();
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (isLive && isFollowing.current) toEnd();
    setAway(!isNearEnd());
  }, [isLive, version]);
  // The steps of a page that was just loaded are not new.
  const isLoading = seen === 0 && steps > 0;
  if (isLoading || (!isAway && seen !== steps)) setSeen(steps);
  const added = Math.max(0, steps - seen);
  if (!isAway || (!isLive && added === 0)) return null;
  return (
    <button
      data-press="."
      className={`button z-10 shadow-3 ${place}`}
      onClick={() => {
        isFollowing.current = true;
        toEnd();
      }}
    >
      {isLive && <span className="size-2 rounded-full bg-accent" aria-hidden="true" />}
      {added === 0 ? 'live, newest ↓' : `${added} new ↓`}
    </button>
  );
}

function isNearEnd(): boolean {
  const left = document.documentElement.scrollHeight - window.innerHeight - window.scrollY;
  return left <= NEAR_PX;
}

function toEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight });
}
