/** Field for the schema of an answer: one line that describes it, and the editor on request. */
import type { ReactNode } from 'react';
import { ProviderReport } from '../schema/provider-report.tsx';
import { SchemaEditor } from '../schema/schema-editor.tsx';
import { isJson, type SchemaReport } from '../schema/schema-report.ts';
import { describeShape, parseSchema } from '../json/describe-schema.ts';
import { indentJson } from '../json/indent-json.ts';
import type { Question } from './question.ts';

interface SchemaFieldProps {
  readonly question: Question;
  readonly report: SchemaReport | undefined;
  readonly isEditing: boolean;
  readonly onEdit: (isEditing: boolean) => void;
  readonly onChange: (question: Question) => void;
}

export function SchemaField(props: SchemaFieldProps): ReactNode {
  const { question, isEditing, onEdit } = props;
  return (
    <div className="mt-4">
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">
          Answer <span className="font-normal text-muted">{question.name}</span>
        </span>
        <button
          type="button"
          aria-expanded={isEditing}
          className="min-h-8 text-accent underline max-md:min-h-11"
          onClick={() => onEdit(!isEditing)}
        >
          {isEditing ? 'Done' : 'Edit schema'}
        </button>
      </div>
      {isEditing ? (
        <Editor {...props} />
      ) : (
        <code className="block rounded-sm bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
          {describeShape(parseSchema(question.schemaText))}
        </code>
      )}
    </div>
  );
}

function Editor({ question, report, onChange }: SchemaFieldProps): ReactNode {
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
          className="button button-quiet px-2 text-sm md:min-h-7"
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
      <div className="mt-4 empty:hidden">
        <ProviderReport dialects={report?.dialects ?? []} />
      </div>
    </>
  );
}
