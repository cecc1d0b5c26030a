/** Schema of an answer: as text, as fields, or from a TypeScript type. All change one document. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Skeleton } from '../parts/page.tsx';
import { indentJson } from '../json/indent-json.ts';
import type { ReadType } from '../typescript/type-input.tsx';
import { isJson, type ReportMark } from './schema-report.ts';
import { MarkList } from './mark-list.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { WrapInObject } from './wrap-in-object.tsx';
import { SchemaForm } from './schema-form.tsx';

const TypeInput = lazy(() =>
  import('../typescript/type-input.tsx').then(({ TypeInput: input }) => ({ default: input })),
);

interface TabsProps {
  /** Name of the answer. */
  readonly name: string;
  readonly text: string;
  readonly marks: readonly ReportMark[];
  readonly onChange: (text: string) => void;
  /** Called after each change of a type. Undefined for an incomplete one. */
  readonly onType: (read: ReadType | undefined) => void;
  /** Opens the dialog that reads an example. */
  readonly onInfer: () => void;
}

const VIEWS = ['Editor', 'Form', 'From TypeScript'] as const;

/** Renders the view, with the actions of the editor. */
export function SchemaTabs({ name, text, marks, onChange, onType, onInfer }: TabsProps): ReactNode {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Editor');
  return (
    <div className="mt-4">
      <div className="mb-2 flex flex-wrap items-center gap-1">
        <label className="mr-2 font-medium @max-2xl:w-full" htmlFor={view === 'Form' ? undefined : 'schema'}>
          Schema
        </label>
        <span className="segments">
          {VIEWS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === view}
              onClick={() => {
                setView(each);
                if (view === 'From TypeScript') onType({ schemaText: text });
              }}
            >
              {each}
            </button>
          ))}
        </span>
        <span className="flex @max-2xl:w-full @2xl:ml-auto">
          <button
            type="button"
            className="button button-quiet px-2 text-sm @2xl:min-h-7"
            disabled={!isJson(text)}
            onClick={() => onChange(indentJson(text))}
          >
            Format
          </button>
          <button
            type="button"
            aria-haspopup="dialog"
            className="button button-quiet px-2 text-sm @2xl:min-h-7"
            onClick={onInfer}
          >
            Infer from an example
          </button>
        </span>
      </div>
      {view === 'Editor' && <SchemaEditor text={text} marks={marks} onChange={onChange} />}
      {view !== 'From TypeScript' && <WrapInObject text={text} marks={marks} onChange={onChange} />}
      {view === 'Form' && <SchemaForm text={text} onChange={onChange} />}
      {view === 'From TypeScript' && (
        <Suspense fallback={<Skeleton />}>
          <TypeInput name={name} schemaText={text} onRead={onType} onDone={() => setView('Editor')} />
        </Suspense>
      )}
      {/* The editor has them beside its lines. Without them here, the button would be disabled for no reason. */}
      {view !== 'Editor' && <MarkList id="schema-problems" marks={marks} />}
    </div>
  );
}
