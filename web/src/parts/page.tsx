/** Frame of a page: its heading with facts, and its states before there is content. */
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ServerError } from '@truecast/client';
import { CodeText } from './code/text-panel.tsx';
import { CopyButton, useCopy } from './code/copy-button.tsx';
import { Icon } from './icon.tsx';

interface PageProps {
  readonly title: string;
  /** Title of the tab. @default `title` */
  readonly tabTitle?: string;
  /** The list that the page belongs to. */
  readonly crumb?: { readonly href: string; readonly name: string };
  /** Shown next to the title. */
  readonly facts?: ReactNode;
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  /** True for content that reaches the edges of the sheet, such as a list. @default false */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

/** Renders the page. Focus moves to its heading after a change of page. */
export function Page({
  title,
  tabTitle = title,
  isWide = false,
  isFlush = false,
  ...head
}: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${tabTitle} · Truecast`;
  }, [tabTitle]);
  const width = isFlush
    ? 'flex flex-1 flex-col'
    : `px-4 pt-5 pb-8 @2xl:px-5 ${isWide ? 'max-w-[1400px]' : '*:max-w-[960px]'}`;
  return (
    <main id="page" className="flex min-w-0 flex-1 flex-col">
      <PageHead title={title} {...head} />
      <div className={`w-full min-w-0 ${width}`}>{head.children}</div>
    </main>
  );
}

type HeadProps = Pick<PageProps, 'title' | 'crumb' | 'facts' | 'actions'>;

/** One line of 52 pixels that stays above the page. Where it is narrow, the title has up to two lines. */
function PageHead({ title, crumb, facts, actions }: HeadProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <header className="sticky top-[var(--strip,0px)] z-[6] flex min-h-[52px] flex-wrap items-center gap-x-3 gap-y-2 rounded-t-xl border-b border-line bg-page px-4 py-2 @2xl:px-5 @4xl:flex-nowrap">
      <div className="flex min-w-0 flex-1 basis-48 flex-wrap @2xl:basis-72 items-center gap-x-2.5 gap-y-0.5">
        <div className="flex max-w-full min-w-0 items-center gap-2">
          {crumb !== undefined && (
            <span className="hidden shrink-0 items-center gap-2 font-medium text-muted @2xl:flex">
              <Link href={crumb.href} data-crumb="" className="hover:text-ink">
                {crumb.name}
              </Link>
              <span aria-hidden="true">/</span>
            </span>
          )}
          <h1
            ref={heading}
            tabIndex={-1}
            data-title=""
            className="line-clamp-2 min-w-0 text-base font-semibold break-words @4xl:line-clamp-1"
          >
            {title}
          </h1>
        </div>
        {facts}
      </div>
      <div className="flex max-w-full flex-wrap items-center gap-2 empty:hidden @4xl:shrink-0">
        {crumb !== undefined && <CopyLink />}
        {actions}
      </div>
    </header>
  );
}

/** Copies the address of the page. It opens in any tab of this browser, and contains no token. */
function CopyLink(): ReactNode {
  const [isCopied, copy] = useCopy();
  const name = isCopied ? 'Link copied' : 'Copy link';
  return (
    <button
      type="button"
      className="button hidden px-2 @2xl:inline-flex"
      aria-label={name}
      title={name}
      onClick={() => copy(location.href)}
    >
      <Icon name={isCopied ? 'valid' : 'link'} />
    </button>
  );
}

/** Grey rows while content loads. Appears after 150 ms. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="animate-appear space-y-3">
      {Array.from({ length: rows }, (_none, index) => (
        // Rows of a placeholder have no identity except their order.
        <div key={index} className="h-11 rounded-sm bg-line/60" />
      ))}
    </div>
  );
}

interface ProblemProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

/** Explains what happened, and the next step. */
export function ProblemBox({ error, onRetry }: ProblemProps): ReactNode {
  const problem = ServerError.isInstance(error) ? error.problem : undefined;
  const isGone = ServerError.isInstance(error) && error.statusCode === 404;
  const missing = isGone ? missingOf(problem?.code, location.pathname) : undefined;
  return (
    <div role="alert" className="rounded-lg border border-bad-edge bg-bad-soft px-4 py-3.5">
      <p className="text-bad">
        <CodeText text={missing?.text ?? error.message} />
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-2 empty:hidden">
        {missing !== undefined && (
          <Link href={missing.list} className="button">
            {missing.label}
          </Link>
        )}
        {onRetry !== undefined && !isGone && (
          <button className="button" onClick={onRetry}>
            Try again
          </button>
        )}
        {problem?.http_request_id !== undefined && (
          <span className="first:-ml-2">
            <CopyButton text={problem.http_request_id} label="Copy request id" />
          </span>
        )}
      </div>
    </div>
  );
}

interface EmptyProps {
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Explains what will appear here, with one next step. */
export function EmptyBox({ children, action }: EmptyProps): ReactNode {
  return (
    <div className="px-4 py-12 text-center">
      <span className="mx-auto mb-3 grid size-11 place-items-center rounded-xl border border-line bg-well text-muted">
        <Icon name="inbox" className="size-5" />
      </span>
      <p className="mx-auto max-w-[52ch] text-balance text-muted">{children}</p>
      {action !== undefined && <div className="mt-4 flex justify-center">{action}</div>}
    </div>
  );
}

/** Message for something that does not exist, and the list to which it links. */
export interface Missing {
  /** Undefined: the server's detail is shown. */
  readonly text?: string;
  readonly list: string;
  readonly label: string;
}

const BY_CODE: ReadonlyMap<string, Missing> = new Map([
  ['chat_not_found', { text: 'Chat not found.', list: '/chats', label: 'Show all chats' }],
  ['request_not_found', { text: 'Request not found.', list: '/requests', label: 'Show all receipts' }],
]);
/** Other problems do not name what kind of thing is missing. The address of the page does. */
const BY_PAGE: ReadonlyMap<string, Missing> = new Map([
  ['chats', { list: '/chats', label: 'Show all chats' }],
  ['requests', { list: '/requests', label: 'Show all receipts' }],
  ['runs', { list: '/runs', label: 'Show all runs' }],
  ['stage', { list: '/stage', label: 'Show all ensemble runs' }],
  ['scenarios', { list: '/stage', label: 'Show all ensemble runs' }],
  ['schemas', { list: '/quality?by=name', label: 'Show all schemas' }],
]);
const START: Missing = { list: '/', label: 'Open the start page' };

/** Returns the next step for a problem with the status 404. */
function missingOf(code: string | undefined, path: string): Missing {
  return BY_CODE.get(code ?? '') ?? BY_PAGE.get(path.split('/')[1] ?? '') ?? START;
}

interface MoreProps {
  /** A list that is read page by page. */
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly children: ReactNode;
}

/** Reads the next page of a list, if there is one. */
export function MoreButton({ list, children }: MoreProps): ReactNode {
  if (!list.hasNextPage) return null;
  return (
    <button
      className="button mt-4"
      disabled={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {children}
    </button>
  );
}
