/** Empty list: the reason why it is empty, and one next step. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyBox } from './page.tsx';

interface EmptyListProps {
  /** Message if nothing matches the filters. Undefined without filters. */
  readonly filtered: ReactNode;
  readonly onClear: () => void;
  readonly clearLabel?: string;
  /** What will appear here. */
  readonly children: ReactNode;
  /** The next step without filters. @default a link to the question */
  readonly action?: ReactNode;
}

/** Renders the reason, with a button that clears the filters or a link to a question. */
export function EmptyList({
  filtered,
  onClear,
  clearLabel = 'Clear the filters',
  children,
  action = <AskLink />,
}: EmptyListProps): ReactNode {
  if (filtered === undefined) return <EmptyBox action={action}>{children}</EmptyBox>;
  const clear = (
    <button className="button" onClick={onClear}>
      {clearLabel}
    </button>
  );
  return <EmptyBox action={clear}>{filtered}</EmptyBox>;
}

function AskLink(): ReactNode {
  return (
    <Link href="/ask" className="button button-primary">
      Ask a question
    </Link>
  );
}
