/** Links between the two lists of the stage: runs, and the scenarios that can be played. */
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

const TABS = [
  ['/stage', 'Runs'],
  ['/scenarios', 'Scenarios'],
] as const;

export function StageTabs(): ReactNode {
  const [address] = useLocation();
  return (
    <nav aria-label="Lists of the stage" className="mb-5 flex gap-5 border-b border-line">
      {TABS.map(([href, name]) => (
        <Link
          key={href}
          href={href}
          aria-current={address === href ? 'page' : undefined}
          className={`-mb-px flex min-h-11 items-center border-b-2 text-sm font-medium @2xl:min-h-9 ${address === href ? 'border-accent text-ink' : 'border-transparent text-muted hover:text-ink'}`}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
