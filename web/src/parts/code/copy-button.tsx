/** Button that copies a text, alone and in a row with a command. */
import { useEffect, useState, type ReactNode } from 'react';

const SHOWN_MS = 1_500;

/** Returns whether a text was copied just now, and the function that copies one. */
export function useCopy(): readonly [isCopied: boolean, copy: (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return [isCopied, (text) => void copyText(text).then(setCopied)];
}

/** Returns false if the browser refused. A page over plain HTTP has no clipboard, except on localhost. */
async function copyText(text: string): Promise<boolean> {
  if (isSecureContext) {
    return await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  // In a dialog, elements outside of it cannot have the focus.
  (focused?.parentElement ?? document.body).append(field);
  field.select();
  // The only way to copy there.
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** Copies `text`, and confirms it. */
export function CopyButton({
  text,
  label = 'Copy',
  isQuiet = true,
}: {
  readonly text: string;
  readonly label?: string;
  /** False for a button with a border. @default true */
  readonly isQuiet?: boolean;
}): ReactNode {
  const [isCopied, copy] = useCopy();
  return (
    <button
      type="button"
      className={isQuiet ? 'button button-quiet px-2 text-sm @2xl:min-h-7' : 'button'}
      onClick={() => copy(text)}
    >
      {isCopied ? 'Copied' : label}
    </button>
  );
}

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
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1.5 @max-2xl:pb-3 @2xl:grid-cols-[160px_minmax(0,1fr)_auto]">
      <span className="text-sm text-muted">{title}</span>
      <code className="order-1 col-span-2 break-words whitespace-pre-wrap @2xl:order-none @2xl:col-span-1">
        {command}
      </code>
      <CopyButton text={copied} />
    </div>
  );
}

/** Renders a command in one line, with its button. */
export function CommandLine({ command }: { readonly command: string }): ReactNode {
  return (
    <span className="flex max-w-full flex-wrap items-center justify-center gap-2">
      <code className="rounded-sm bg-well px-3 py-1.5 break-all">{command}</code>
      <CopyButton text={command} />
    </span>
  );
}
