/** Name of a field in a sealed value. A click copies its JSON Pointer. */
import type { ReactNode } from 'react';
import { useCopy } from '../parts/code/copy-button.tsx';

interface NameProps {
  readonly name: string;
  readonly pointer: string;
  /** True if it is reached by Tab. */
  readonly isReached: boolean;
}

/** Renders the name as a button. */
export function FieldName({ name, pointer, isReached }: NameProps): ReactNode {
  const [isCopied, copy] = useCopy();
  return (
    <button
      type="button"
      tabIndex={isReached ? 0 : -1}
      data-enter=""
      className="-my-1.5 max-w-full truncate py-1.5 text-left hover:text-accent-ink hover:underline"
      title={`Copy the pointer ${pointer}`}
      onClick={() => copy(pointer)}
    >
      {name}
      {isCopied && (
        <span role="status" className="ml-2 font-sans text-sm text-accent-ink">
          pointer copied
        </span>
      )}
    </button>
  );
}
