/** Shell command in one row, with a button that copies it. */
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

interface CommandRowProps {
  readonly title: ReactNode;
  /** The shown command. */
  readonly command: string;
  /** The copied command. @default `command` */
  readonly copied?: string;
}

/** Renders the row. */
export function CommandRow({ title, command, copied = command }: CommandRowProps): ReactNode {
  return (
    <div className="flex items-center gap-3 px-4 py-1.5">
      <div className="grid min-w-0 flex-1 items-baseline gap-x-4 md:grid-cols-[160px_minmax(0,1fr)]">
        <span className="text-sm text-muted">{title}</span>
        <code className="break-words whitespace-pre-wrap">{command}</code>
      </div>
      <CopyButton text={copied} />
    </div>
  );
}
