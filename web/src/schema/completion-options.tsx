/** Options below the string that is being typed. */
import type { ReactNode } from 'react';
import type { CompletionList } from './use-completion.ts';

/** Id of the list, for the field that controls it. */
export const OPTIONS_ID = 'schema-completions';

export function optionId(index: number): string {
  return `${OPTIONS_ID}-${index}`;
}

interface OptionsProps {
  readonly list: CompletionList;
  readonly text: string;
  readonly linePx: number;
}

/** Renders the options, or nothing while the list is closed. */
export function CompletionOptions({ list, text, linePx }: OptionsProps): ReactNode {
  const { completion, place, chosen, onAccept } = list;
  if (completion === undefined) return null;
  const before = text.slice(0, completion.from).split('\n');
  const column = before.at(-1)?.length ?? 0;
  return (
    <ul
      id={OPTIONS_ID}
      role="listbox"
      aria-label="Completions"
      className="absolute z-10 w-52 overflow-hidden rounded-sm border border-control bg-raised py-1 font-mono text-code shadow-xl"
      style={{
        top: place.top + before.length * linePx + 12,
        left: `min(${place.left}px + ${column}ch, 100% - 216px)`,
      }}
    >
      {completion.options.map((option, index) => (
        <li
          key={option}
          id={optionId(index)}
          role="option"
          aria-selected={index === chosen}
          className={`cursor-pointer truncate px-3 py-0.5 ${index === chosen ? 'bg-accent-soft text-accent-ink' : ''}`}
          // The field keeps the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onAccept(option);
          }}
        >
          {option}
        </li>
      ))}
    </ul>
  );
}
