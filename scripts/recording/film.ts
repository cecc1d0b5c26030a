/** Film of an animated SVG: frames below each other, of which one is shown at a time, without a script. */

/** Times of the frames, and how long the last one is shown before the film starts again. */
export interface FilmTimes {
  /** Time of each frame, ascending. */
  readonly atMs: readonly number[];
  readonly lastMs: number;
}

/**
 * Returns the CSS of the element `film`, whose frames are `height` apart. Viewers that prefer reduced
 * motion see the last frame.
 */
export function filmStyle({ atMs, lastMs }: FilmTimes, height: number): string {
  const startMs = atMs[0] ?? 0;
  const durationMs = Math.round((atMs.at(-1) ?? 0) - startMs + lastMs);
  const steps = atMs.map((each, index) => {
    const percent = (100 * (each - startMs)) / durationMs;
    return `${Number(percent.toFixed(2))}%{transform:translateY(${-index * height}px)}`;
  });
  return `#film{animation:film ${durationMs}ms step-end infinite}
@keyframes film{${steps.join('')}}
@media (prefers-reduced-motion:reduce){#film{animation:none;transform:translateY(${-(atMs.length - 1) * height}px)}}`;
}

/** Escapes text for SVG. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
