/** Button that copies a text, with an icon instead of a word, for rows that have one each. */
import type { ReactNode } from 'react';
import { useCopy } from './code/copy-button.tsx';
import { Icon } from './icon.tsx';

/** Copies `text`, and confirms it. */
export function CopyIcon({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [isCopied, copy] = useCopy();
  const name = isCopied ? 'Copied' : label;
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      className="button button-quiet shrink-0 px-2 @2xl:min-h-7"
      onClick={() => copy(text)}
    >
      <Icon name={isCopied ? 'valid' : 'copy'} />
    </button>
  );
}
