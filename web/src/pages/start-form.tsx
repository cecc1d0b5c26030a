/** Form of the start page: a question with a schema. */
import type { ReactNode, RefObject } from 'react';
import type { ModelView } from '@truecast/client';
import { Link } from 'wouter';
import { QuestionFrame } from '../question/question-frame.tsx';
import { SchemaField } from '../question/schema-field.tsx';
import type { QuestionForm } from '../question/use-question.ts';

interface FormProps {
  readonly form: QuestionForm;
  /** The button that sends the question. */
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly models: readonly ModelView[];
  /** The chosen model. Empty for the default one. */
  readonly model: string;
  readonly onModel: (model: string) => void;
}

export function StartForm({ form, button, models, model, onModel }: FormProps): ReactNode {
  const { question, change, report, isEditing, setEditing, isComplete } = form;
  const usual = models.find(({ is_default }) => is_default)?.id ?? 'Default model';
  const aside = (
    <>
      {models.length > 1 && (
        <select
          className="field chip"
          aria-label="Model"
          data-set={model !== ''}
          value={model}
          onChange={({ target }) => onModel(target.value)}
        >
          <option value="">{usual}</option>
          {models
            .filter(({ is_default }) => !is_default)
            .map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
        </select>
      )}
      <Link href="/ask" className="flex items-center text-sm text-accent-ink underline @max-2xl:min-h-11">
        Model, limits and form
      </Link>
    </>
  );
  return (
    <QuestionFrame
      question={{ ...question, model: model || undefined }}
      isComplete={isComplete}
      button={button}
      aside={aside}
    >
      <label className="sr-only" htmlFor="question">
        Question
      </label>
      <textarea
        id="question"
        rows={2}
        className="block field-sizing-content min-h-12 w-full resize-none bg-transparent text-lg outline-none"
        value={question.message}
        onChange={({ target }) => change({ ...question, message: target.value })}
      />
      <SchemaField
        question={question}
        report={report}
        isEditing={isEditing}
        onEdit={setEditing}
        onChange={change}
      />
    </QuestionFrame>
  );
}
