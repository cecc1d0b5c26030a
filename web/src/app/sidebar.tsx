/** Sidebar of the frame: icons with words, and icons alone below 1100 pixels. Words stay for screen readers. */
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon, type IconName } from '../parts/icon.tsx';
import { BrandMark } from '../parts/mark.tsx';
import { ThemeButton } from '../parts/theme-switch.tsx';
import { isActivePage, MORE_PAGES, usePages, type ListedPage } from '../session/pages.ts';
import { useLostAt } from '../session/connection.ts';
import { useOptionalSession } from '../session/session.tsx';

const GROUPS = [undefined, 'Results', 'Agents'] as const;

export function Sidebar({ onSearch }: { readonly onSearch: () => void }): ReactNode {
  const pages = usePages();
  const hasSession = useOptionalSession() !== undefined;
  return (
    <aside className="side">
      <Link href="/" className="side-item mb-1 h-9 max-[1099px]:px-0">
        <BrandMark wordClass="side-word" />
      </Link>
      {hasSession && (
        <button
          type="button"
          className="side-item mb-1 border border-edge bg-raised font-normal text-muted shadow-1"
          onClick={onSearch}
        >
          <Word icon="search">Search</Word>
          <span className="side-word flex gap-0.5" aria-hidden="true">
            <kbd>Ctrl</kbd>
            <kbd>K</kbd>
          </span>
        </button>
      )}
      <nav aria-label="Pages" className="flex flex-col gap-0.5">
        {GROUPS.map((group) => (
          <PageGroup key={group ?? ''} title={group} pages={pages.filter((page) => page.group === group)} />
        ))}
      </nav>
      <nav aria-label="More" className="mt-auto flex flex-col gap-0.5 pt-4">
        {MORE_PAGES.map((page) => (
          <SideLink key={page.href} page={page} />
        ))}
      </nav>
      <Foot />
    </aside>
  );
}

interface GroupProps {
  readonly title: string | undefined;
  readonly pages: readonly ListedPage[];
}

function PageGroup({ title, pages }: GroupProps): ReactNode {
  if (pages.length === 0) return null;
  return (
    <>
      {title !== undefined && (
        <>
          <p className="side-word px-2.5 pt-3 pb-1 text-2xs font-medium text-muted">{title}</p>
          <hr className="mx-2 my-1.5 border-edge min-[1100px]:hidden" />
        </>
      )}
      {pages.map((page) => (
        <SideLink key={page.href} page={page} />
      ))}
    </>
  );
}

function SideLink({ page: { href, name, icon } }: { readonly page: ListedPage }): ReactNode {
  const [address] = useLocation();
  return (
    <Link href={href} aria-current={isActivePage(href, address) ? 'page' : undefined} className="side-item">
      <Word icon={icon}>{name}</Word>
    </Link>
  );
}

/** Renders the icon with its word, which is a tip beside the icon where the sidebar is narrow. */
function Word({ icon, children }: { readonly icon: IconName; readonly children: string }): ReactNode {
  return (
    <>
      <Icon name={icon} />
      <span className="side-word flex-1 text-left">{children}</span>
      <span className="side-tip" aria-hidden="true">
        {children}
      </span>
    </>
  );
}

/** Address of the server, whether it answers, and the theme. */
function Foot(): ReactNode {
  const isLost = useLostAt() !== undefined;
  return (
    <div className="mt-1 flex items-center gap-2 px-2.5 text-xs text-muted max-[1099px]:justify-center max-[1099px]:px-0">
      <span
        className={`side-word size-2 shrink-0 rounded-full ${isLost ? 'bg-warn' : 'bg-ok-fill'}`}
        aria-hidden="true"
      />
      <span className="side-word min-w-0 flex-1 truncate">{location.host}</span>
      <ThemeButton />
    </div>
  );
}
