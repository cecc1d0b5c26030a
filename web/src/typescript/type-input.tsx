/** Input of a TypeScript type that becomes the schema. It begins with the type of the current schema. */
import { useState, type ReactNode } from 'react';
import { parseSchema } from '../json/describe-schema.ts';
import { schemaOfType } from './schema-of-type.ts';
import { typeOfSchema } from './type-of-schema.ts';

interface InputProps {
  /** Name of the answer. */
  readonly name: string;
  readonly schemaText: string;
  /** Replaces the schema. */
  readonly onRead: (schemaText: string) => void;
}

const MIN_ROWS = 12;

/** Renders the input. The document changes only when the button is pressed. */
export function TypeInput({ name, schemaText, onRead }: InputProps): ReactNode {
  const [text, setText] = useState(() => typeOfSchema(name, parseSchema(schemaText)));
  const read = schemaOfType(text);
  const problem = 'problem' in read ? `line ${read.line}: ${read.problem}` : undefined;
  return (
    <>
      <textarea
        id="schema"
        className="field block resize-y overflow-x-auto font-mono text-code whitespace-pre"
        wrap="off"
        spellCheck={false}
        rows={Math.max(MIN_ROWS, text.split('\n').length + 1)}
        aria-invalid={problem !== undefined}
        aria-describedby="type-note"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <button
          type="button"
          className="button"
          disabled={'problem' in read}
          onClick={() => 'schema' in read && onRead(JSON.stringify(read.schema, undefined, 2))}
        >
          Replace the schema
        </button>
        <p
          id="type-note"
          role="status"
          className={`min-w-0 flex-1 text-sm max-md:basis-full ${problem === undefined ? 'text-muted' : 'text-bad'}`}
        >
          {problem === undefined ? (
            <>
              Comments are descriptions. <code className="text-sm">@minimum 1</code>,{' '}
              <code className="text-sm">@pattern</code> and <code className="text-sm">@asType integer</code>{' '}
              are rules.
            </>
          ) : (
            <>× {problem}</>
          )}
        </p>
      </div>
    </>
  );
}
