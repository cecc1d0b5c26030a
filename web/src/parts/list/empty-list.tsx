/** Empty list: the reason why it is empty, and one next step. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CommandRow } from '../code/copy-button.tsx';
import { EmptyBox } from '../page.tsx';

interface EmptyListProps {
  /** Message if nothing matches the filters. Undefined without filters. */
  readonly filtered: ReactNode;
  readonly onClear: () => void;
  readonly clearLabel?: string;
  /** What will appear here. */
  readonly children: ReactNode;
  /** The next step without filters, as a command to copy. */
  readonly command?: string;
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
  command,
}: EmptyListProps): ReactNode {
  if (filtered === undefined) {
    return (
      <EmptyBox
        action={command === undefined ? action : <WithCommand command={command}>{action}</WithCommand>}
      >
        {children}
      </EmptyBox>
    );
  }
  const clear = (
    <button className="button" onClick={onClear}>
      {clearLabel}
    </button>
  );
  return <EmptyBox action={clear}>{filtered}</EmptyBox>;
}

interface CommandProps {
  readonly command: string;
  readonly children: ReactNode;
}

function WithCommand({ command, children }: CommandProps): ReactNode {
  return (
    <div className="min-w-0 flex-1 px-4">
      <div className="flex justify-center">{children}</div>
      <div className="panel mx-auto mt-6 max-w-[720px] text-left">
        <CommandRow title="In a terminal" command={command} />
      </div>
    </div>
  );
}

function AskLink(): ReactNode {
  return (
    <Link href="/ask" className="button button-primary">
      Ask a question
    </Link>
  );
}
