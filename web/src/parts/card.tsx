/** Card: a part of a page with its title, a line about it, and its content below. */
import type { ReactNode } from 'react';

interface CardProps {
  readonly title: string;
  /** Names the part for screen readers. @default `title` */
  readonly label?: string;
  /** Shown next to the title. */
  readonly about: ReactNode;
  /** At the end of the head. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, label = title, about, aside, children }: CardProps): ReactNode {
  return (
    <section aria-label={label} className="panel overflow-hidden">
      <header className="flex min-h-[46px] flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line px-4 py-2">
        <h2 className="text-sm font-semibold">{title}</h2>
        <span className="text-xs text-muted">{about}</span>
        {aside !== undefined && <span className="min-w-0 @4xl:ml-auto">{aside}</span>}
      </header>
      {children}
    </section>
  );
}
