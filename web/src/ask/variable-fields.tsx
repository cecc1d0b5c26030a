/** Fields for the variables of a kept question. An empty one prevents sending. */
import type { ReactNode } from 'react';
import type { AskForm } from './use-ask-form.ts';
import { FormInput } from './form-input.tsx';
import { isFilled, variablesOf, withValue } from './variables.ts';

/** Renders a field for each variable, or nothing for a question without variables. */
export function VariableFields({ draft, change }: Pick<AskForm, 'draft' | 'change'>): ReactNode {
  const variables = variablesOf(draft);
  if (variables.length === 0) return null;
  return (
    <div role="group" aria-label="Variables of the question" className="mt-3 grid gap-3 @2xl:grid-cols-2">
      {variables.map((variable) => (
        <FormInput
          key={variable.name}
          id={`variable-${variable.name}`}
          label={variable.name}
          rows={2}
          value={variable.value}
          problem={isFilled(variable) ? undefined : `Fill in ${variable.name}. The question needs its value.`}
          onChange={(value) => change({ values: withValue(draft, { ...variable, value }) })}
        />
      ))}
    </div>
  );
}
