/** Schema of an answer, as text in the editor or as fields in the form. Both change one document. */
import { useState, type ReactNode } from 'react';
import { indentJson } from '../value/indent-json.ts';
import { isJson } from './is-json.ts';
import { SchemaEditor } from './schema-editor.tsx';
import { SchemaForm } from './schema-form.tsx';
import type { Mark } from './schema-report.ts';

interface TabsProps {
  readonly text: string;
  readonly marks: readonly Mark[];
  readonly onChange: (text: string) => void;
  /** Opens the dialog that reads an example. */
  readonly onInfer: () => void;
}

const VIEWS = ['Editor', 'Form'] as const;

/** Renders the view, with the actions of the editor. */
export function SchemaTabs({ text, marks, onChange, onInfer }: TabsProps): ReactNode {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Editor');
  return (
    <div className="mt-4">
      <div className="mb-2 flex flex-wrap items-center gap-1">
        <label className="mr-2 font-medium max-md:w-full" htmlFor={view === 'Editor' ? 'schema' : undefined}>
          Schema
        </label>
        {VIEWS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === view}
            className={`rounded-sm px-2 py-1 text-sm max-md:min-h-11 ${each === view ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:text-ink'}`}
            onClick={() => setView(each)}
          >
            {each}
          </button>
        ))}
        <span className="ml-auto flex">
          <button
            type="button"
            className="button button-quiet px-2 text-sm md:min-h-7"
            disabled={!isJson(text)}
            onClick={() => onChange(indentJson(text))}
          >
            Format
          </button>
          <button
            type="button"
            aria-haspopup="dialog"
            className="button button-quiet px-2 text-sm md:min-h-7"
            onClick={onInfer}
          >
            Infer from an example
          </button>
        </span>
      </div>
      {view === 'Editor' ? (
        <SchemaEditor text={text} marks={marks} onChange={onChange} />
      ) : (
        <SchemaForm text={text} onChange={onChange} />
      )}
    </div>
  );
}
