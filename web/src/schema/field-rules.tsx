/** Inputs for the rules of a field: its bounds, or its choices. */
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { DescribedSchema } from '../json/describe-schema.ts';
import { fieldKindOf, RULES, withKeyword, type EditSchema, type EditPath } from './schema-edit.ts';

interface RulesProps {
  readonly schema: DescribedSchema;
  readonly path: EditPath;
  readonly edit: EditSchema;
  readonly name: string;
}

/** Renders the inputs of the field's kind. */
export function FieldRules({ schema, path, edit, name }: RulesProps): ReactNode {
  const kind = fieldKindOf(schema);
  const { enum: choices } = schema;
  if (kind === 'choice' && Array.isArray(choices)) {
    return (
      <LocalInput
        className="min-w-40 flex-1"
        label={`Choices of ${name}, separated by commas`}
        value={choices.join(', ')}
        toValue={(text) => choicesOf(text).join(', ')}
        problemOf={(text) => (choicesOf(text).length === 0 ? 'Expected at least one choice.' : undefined)}
        onCommit={(text) => edit(path, (each) => withKeyword(each, 'enum', choicesOf(text)))}
      />
    );
  }
  return RULES[kind].map(([keyword, label]) => {
    const value = schema[keyword];
    return (
      <label key={keyword} className="flex items-center gap-1.5 text-sm whitespace-nowrap text-muted">
        {label}
        <input
          type="number"
          step={kind === 'number' ? 'any' : 1}
          className="field w-16 @2xl:w-18"
          aria-label={`${name}: ${label}`}
          value={typeof value === 'number' ? value : ''}
          onChange={({ target: { valueAsNumber } }) => {
            const bound = Number.isNaN(valueAsNumber) ? undefined : valueAsNumber;
            edit(path, (each) => withKeyword(each, keyword, bound));
          }}
        />
      </label>
    );
  });
}

function choicesOf(text: string): readonly string[] {
  return [...new Set(text.split(',').map((choice) => choice.trim()))].filter((choice) => choice !== '');
}

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

/** Renders the input with a problem below. */
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
    <span className={`block @max-2xl:w-full ${className}`}>
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
