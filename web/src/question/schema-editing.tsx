/** Editing of a schema on the start page, loaded when it is opened. */
import type { ReactNode } from 'react';
import { indentJson } from '../json/indent-json.ts';
import { ProviderReport } from '../schema/provider-report.tsx';
import { SchemaEditor } from '../schema/schema-editor.tsx';
import { isJson } from '../schema/schema-report.ts';
import { WrapInObject } from '../schema/wrap-in-object.tsx';
import type { SchemaFieldProps } from './schema-field.tsx';

/** Renders the name, the text of the schema, and what each provider makes of it. */
export function SchemaEditing({ question, report, onChange }: SchemaFieldProps): ReactNode {
  const { name, schemaText } = question;
  const format = (): void => onChange({ ...question, schemaText: indentJson(schemaText) });
  return (
    <>
      <label className="caption mb-1 block" htmlFor="answer-name">
        Name, shown to the model
      </label>
      <input
        id="answer-name"
        className="field"
        value={name}
        onChange={({ target }) => onChange({ ...question, name: target.value })}
      />
      <div className="mt-3 mb-1 flex items-center justify-between">
        <label className="caption" htmlFor="schema">
          JSON Schema
        </label>
        <button
          type="button"
          className="button button-quiet px-2 text-sm @2xl:min-h-7"
          disabled={!isJson(schemaText)}
          onClick={format}
        >
          Format
        </button>
      </div>
      <SchemaEditor
        text={schemaText}
        marks={report?.marks ?? []}
        onChange={(text) => onChange({ ...question, schemaText: text })}
      />
      <WrapInObject
        text={schemaText}
        marks={report?.marks ?? []}
        onChange={(text) => onChange({ ...question, schemaText: text })}
      />
      <div className="mt-4 empty:hidden">
        <ProviderReport dialects={report?.dialects ?? []} />
      </div>
    </>
  );
}
