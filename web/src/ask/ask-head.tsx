/** Head of the question: its model and title. */
import type { ReactNode } from 'react';
import type { ModelView } from '@truecast/client';
import type { AskForm } from './use-ask-form.ts';
import { FormInput } from './form-input.tsx';

interface HeadProps extends Pick<AskForm, 'draft' | 'change'> {
  readonly models: readonly ModelView[];
}

/** Renders both fields. A model that the server no longer has is shown too. */
export function AskHead({ draft: { model, title }, change, models }: HeadProps): ReactNode {
  const usual = models.find(({ is_default }) => is_default)?.id;
  const ids = models.map(({ id }) => id);
  const listed = model === '' || ids.includes(model) ? ids : [model, ...ids];
  return (
    <div className="mb-4 grid gap-3 md:grid-cols-2">
      <div className="min-w-0">
        <label className="label" htmlFor="model">
          Model
        </label>
        <select
          id="model"
          className="field"
          value={model}
          onChange={({ target }) => change({ model: target.value })}
        >
          <option value="">{usual === undefined ? 'Default' : `Default: ${usual}`}</option>
          {listed.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </div>
      <FormInput
        id="title"
        label="Title"
        placeholder="First line of the question"
        value={title}
        onChange={(value) => change({ title: value })}
      />
    </div>
  );
}
