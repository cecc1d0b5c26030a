/** Tile with the first letter of a name. The same name has the same colours on every page. */
import type { ReactNode } from 'react';

const LOOKS = [
  'bg-accent-soft text-accent-ink',
  'bg-ok-soft text-ok',
  'bg-warn-soft text-warn',
  'bg-[color-mix(in_srgb,var(--color-series-2)_14%,transparent)] text-series-2',
  'bg-[color-mix(in_srgb,var(--color-series-5)_14%,transparent)] text-series-5',
  'bg-[color-mix(in_srgb,var(--color-series-4)_12%,transparent)] text-series-4',
] as const;

interface LetterTileProps {
  readonly name: string;
  /** Number of the colours, for names beside each other that must differ. @default by the name */
  readonly look?: number | undefined;
}

/** Renders the letter by the style, so that it is not part of the text. */
export function LetterTile({ name, look }: LetterTileProps): ReactNode {
  const sum = Array.from(name).reduce((total, char) => total * 3 + (char.codePointAt(0) ?? 0), 0);
  return (
    <span
      aria-hidden="true"
      data-letter={name.slice(0, 1).toUpperCase()}
      className={`grid size-[18px] shrink-0 place-items-center rounded-sm text-2xs leading-none font-semibold before:content-[attr(data-letter)] ${LOOKS[(look ?? sum) % LOOKS.length] ?? ''}`}
    />
  );
}
