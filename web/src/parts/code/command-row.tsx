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

export function CommandRow({ title, command, copied = command }: CommandRowProps): ReactNode {
  return (
    // On a narrow screen, the command has the whole width below its title.
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1.5 max-md:pb-3 md:grid-cols-[160px_minmax(0,1fr)_auto]">
      <span className="text-sm text-muted">{title}</span>
      <code className="order-1 col-span-2 break-words whitespace-pre-wrap md:order-none md:col-span-1">
        {command}
      </code>
      <CopyButton text={copied} />
    </div>
  );
}
