/** Input of a TypeScript type that becomes the schema. It begins with the type of the current schema. */
import { useState, type ReactNode } from 'react';
import { parseSchema } from '../json/describe-schema.ts';
import { schemaOfType } from './schema-of-type.ts';
import { typeOfSchema } from './type-of-schema.ts';

/** Schema and name from a type. */
export interface ReadType {
  readonly schemaText: string;
  /** Undefined if the author did not change the name of the type. */
  readonly name?: string;
}

interface InputProps {
  /** Name of the answer. */
  readonly name: string;
  readonly schemaText: string;
  /** Called after each change. Undefined for an incomplete type, which prevents sending. */
  readonly onRead: (read: ReadType | undefined) => void;
  readonly onDone: () => void;
}

const MIN_ROWS = 12;

/** Renders the input. Each change applies at once. */
export function TypeInput({ name, schemaText, onRead, onDone }: InputProps): ReactNode {
  const [begun] = useState(() => typeOfSchema(name, parseSchema(schemaText)));
  const [text, setText] = useState(begun);
  const read = schemaOfType(text);
  const problem = 'problem' in read ? `line ${read.line}: ${read.problem}` : undefined;
  const change = (typed: string): void => {
    setText(typed);
    const changed = schemaOfType(typed);
    if ('problem' in changed) return onRead(undefined);
    const kept = schemaOfType(begun);
    const isRenamed = changed.name !== '' && !('name' in kept && kept.name === changed.name);
    return onRead({
      schemaText: JSON.stringify(changed.schema, undefined, 2),
      ...(isRenamed && { name: changed.name.slice(0, 1).toLowerCase() + changed.name.slice(1) }),
    });
  };
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
        onChange={({ target }) => change(target.value)}
      />
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <button type="button" className="button" disabled={'problem' in read} onClick={onDone}>
          Show the schema
        </button>
        <p
          id="type-note"
          role="status"
          className={`min-w-0 flex-1 text-sm @max-2xl:basis-full ${problem === undefined ? 'text-muted' : 'text-bad'}`}
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
