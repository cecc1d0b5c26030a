/** Input whose text can be temporarily invalid. Only a valid text changes the document. */
import { useEffect, useId, useState, type ReactNode } from 'react';

interface LocalInputProps {
  readonly label: string;
  readonly className: string;
  readonly value: string;
  /** Converts a text to its value. @default the text itself */
  readonly toValue?: (text: string) => string;
  /** Returns the reason why a text is not accepted. */
  readonly problemOf: (text: string) => string | undefined;
  readonly onCommit: (text: string) => void;
}

/** Renders the input, with the problem of its text below it. */
export function LocalInput(props: LocalInputProps): ReactNode {
  const { label, className, value, toValue = (each) => each, problemOf, onCommit } = props;
  const [text, setText] = useState(value);
  const id = useId();
  const problem = problemOf(text);
  useEffect(() => {
    setText((shown) => (toValue(shown) === value ? shown : value));
    // Only another value replaces the typed text.
  }, [value]);
  return (
    <span className={`block max-md:w-full ${className}`}>
      <input
        className="field"
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (problemOf(target.value) === undefined) onCommit(target.value);
        }}
      />
      {problem !== undefined && (
        <span id={id} className="mt-1 block font-sans text-sm text-bad">
          {problem}
        </span>
      )}
    </span>
  );
}
