/** Dialog that creates a schema from an example of the value. */
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { asRecord } from '../json/describe-schema.ts';
import { inferSchema } from './infer-schema.ts';

interface InferProps {
  readonly onClose: () => void;
  readonly onInfer: (schemaText: string) => void;
}

export function InferDialog({ onClose, onInfer }: InferProps): ReactNode {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const infer = (event: SubmitEvent): void => {
    event.preventDefault();
    const read = readExample(text);
    if ('problem' in read) {
      setProblem(read.problem);
      return;
    }
    onInfer(JSON.stringify(inferSchema(read.value), undefined, 2));
    onClose();
  };
  return (
    <Dialog label="Infer from an example" onClose={onClose}>
      <form className="px-5 py-4" onSubmit={infer}>
        <h2 className="text-lg font-semibold">Infer from an example</h2>
        <label htmlFor="example" className="mt-1 mb-2 block text-muted">
          A JSON object becomes a schema. Each of its fields is required.
        </label>
        <textarea
          id="example"
          autoFocus
          rows={8}
          spellCheck={false}
          className="field font-mono text-code"
          placeholder={'{\n  "file": "src/loop.ts",\n  "line": 42\n}'}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : 'example-problem'}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setProblem(undefined);
          }}
        />
        {problem !== undefined && (
          <p id="example-problem" role="alert" className="mt-2 text-bad">
            {problem}
          </p>
        )}
        <div className="mt-3 flex gap-2">
          <button className="button button-primary" type="submit" disabled={text.trim() === ''}>
            Replace the schema
          </button>
          <button className="button" type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

type Example = { readonly value: unknown } | { readonly problem: string };

/** The root of an answer is an object. */
function readExample(text: string): Example {
  try {
    const value: unknown = JSON.parse(text);
    if (asRecord(value) !== undefined) return { value };
    return { problem: 'Expected a JSON object, such as {"line": 42}.' };
  } catch (error) {
    return { problem: `Is not JSON. ${error instanceof Error ? error.message : String(error)}.` };
  }
}
