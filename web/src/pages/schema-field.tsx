/** Field for the schema of an answer: one line that describes it, and the text on request. */
import { useState, type ReactNode } from 'react';
import { describeShape, parseSchema } from '../value/describe-schema.ts';
import { schemaProblem, type Question } from './question.ts';

interface SchemaFieldProps {
  readonly question: Question;
  readonly onChange: (question: Question) => void;
}

/** Renders the field. */
export function SchemaField({ question, onChange }: SchemaFieldProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const problem = schemaProblem(question.schemaText);
  const isEdited = isOpen || problem !== undefined;
  return (
    <div className="mt-4">
      <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">
          Answer <span className="font-normal text-muted">{question.name}</span>
        </span>
        <button
          type="button"
          aria-expanded={isEdited}
          className="min-h-8 text-accent underline"
          onClick={() => setOpen(!isOpen)}
        >
          {isEdited ? 'Done' : 'Edit schema'}
        </button>
      </div>
      {isEdited ? (
        <Editor question={question} onChange={onChange} problem={problem} />
      ) : (
        <code className="block rounded-sm bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
          {describeShape(parseSchema(question.schemaText))}
        </code>
      )}
    </div>
  );
}

interface EditorProps extends SchemaFieldProps {
  readonly problem: string | undefined;
}

function Editor({ question, onChange, problem }: EditorProps): ReactNode {
  return (
    <>
      <label className="caption mb-1 block" htmlFor="answer-name">
        Name, shown to the model
      </label>
      <input
        id="answer-name"
        className="field"
        value={question.name}
        onChange={({ target }) => onChange({ ...question, name: target.value })}
      />
      <label className="caption mt-3 mb-1 block" htmlFor="schema">
        JSON Schema
      </label>
      <textarea
        id="schema"
        rows={14}
        spellCheck={false}
        className="field resize-y font-mono text-code leading-[1.45]"
        value={question.schemaText}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : 'schema-problem'}
        onChange={({ target }) => onChange({ ...question, schemaText: target.value })}
      />
      {problem !== undefined && (
        <p id="schema-problem" className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
    </>
  );
}
