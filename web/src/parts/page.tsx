/** Frame of a page: its heading with facts, and its states before there is content. */
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ServerError } from '@truecast/client';
import { CodeText } from './code/text-panel.tsx';
import { CopyButton } from './code/copy-button.tsx';

interface PageProps {
  readonly title: string;
  /** Shown next to the title. */
  readonly facts?: ReactNode;
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** Renders the page. Focus moves to its heading after a change of page. */
export function Page({ title, facts, actions, isWide = false, children }: PageProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Truecast`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main
      id="page"
      // Every page begins at the same place, so that its title does not move between pages.
      className={`mx-auto w-full max-w-[1360px] px-4 pt-6 pb-12 md:px-8 ${isWide ? '' : '*:max-w-[960px]'}`}
    >
      <header className="mb-4 flex min-h-[34px] flex-wrap items-start gap-x-4 gap-y-2 md:mb-6 md:flex-nowrap md:items-center">
        <div
          className={`flex min-w-0 flex-1 basis-48 flex-wrap items-center gap-x-4 gap-y-1 ${actions === undefined ? '' : 'max-md:min-h-11'}`}
        >
          <h1
            ref={heading}
            tabIndex={-1}
            className="line-clamp-2 min-w-0 text-lg font-semibold break-words md:line-clamp-1 md:text-xl"
          >
            {title}
          </h1>
          {facts}
        </div>
        {actions !== undefined && <div className="flex shrink-0 items-center gap-2">{actions}</div>}
      </header>
      {children}
    </main>
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
    <div role="alert" className="rounded-md border border-bad bg-bad-soft px-4 py-3">
      <p className="text-bad">
        <CodeText text={missing?.text ?? error.message} />
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
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
    <div className="rounded-md border border-dashed border-line px-4 py-10 text-center">
      <p className="mx-auto max-w-[52ch] text-balance text-muted">{children}</p>
      {action !== undefined && <div className="mt-4 flex justify-center">{action}</div>}
    </div>
  );
}

/** A list, and the server's detail in the words of the console. */
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
/** Other problems do not name the kind of what is missing. The address of the page does. */
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
