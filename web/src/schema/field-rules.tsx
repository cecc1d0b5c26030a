/** Inputs for the rules of a field: its bounds, or its choices. */
import type { ReactNode } from 'react';
import type { DescribedSchema } from '../json/describe-schema.ts';
import { LocalInput } from './local-input.tsx';
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
          className="field w-16 md:w-18"
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
