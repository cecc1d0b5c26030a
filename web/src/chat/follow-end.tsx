/**
 * Follows the end of a live page until the reader scrolls up, then offers a button back to the end.
 */
import { useEffect, useRef, useState, type ReactNode } from 'react';

/** Maximum distance from the end at which the page follows it. */
const NEAR_PX = 80;

interface FollowProps {
  readonly isLive: boolean;
  /** Increases as the page grows. */
  readonly version: number;
}

/** Renders the button while the end is out of view. */
export function FollowEnd({ isLive, version }: FollowProps): ReactNode {
  const isFollowing = useRef(false);
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const onScroll = (): void => {
      const left = document.documentElement.scrollHeight - window.innerHeight - window.scrollY;
      isFollowing.current = window.scrollY > 0 && left < NEAR_PX;
      setAway(left > NEAR_PX);
    };
    onScroll();
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (isLive && isFollowing.current) toEnd();
  }, [isLive, version]);
  if (!isLive || !isAway) return null;
  return (
    <button
      data-press="."
      className="button fixed right-4 bottom-20 z-10 md:right-auto md:bottom-4"
      onClick={() => {
        isFollowing.current = true;
        toEnd();
      }}
    >
      <span className="size-2 rounded-full bg-accent" aria-hidden="true" />
      live, newest ↓
    </button>
  );
}

function toEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight });
}
