/** Form of the start page: a question, and the schema of its answer. */
import type { KeyboardEvent, ReactNode, RefObject, SubmitEvent } from 'react';
import { Link } from 'wouter';
import { ProblemBox } from '../parts/page.tsx';
import { SubmitHint } from '../parts/submit-hint.tsx';
import { SchemaField } from '../question/schema-field.tsx';
import { useAsk } from '../question/use-ask.ts';
import type { QuestionForm } from '../question/use-question.ts';

interface FormProps {
  readonly form: QuestionForm;
  /** The button that sends the question. */
  readonly button: RefObject<HTMLButtonElement | null>;
}

export function StartForm({ form, button }: FormProps): ReactNode {
  const { question, change, report, isEditing, setEditing, isComplete } = form;
  const ask = useAsk();
  const canAsk = !ask.isPending && isComplete;
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (canAsk) ask.mutate(question);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <form onSubmit={submit} className="panel p-4 md:p-6">
      <label className="label" htmlFor="question">
        Question
      </label>
      <textarea
        id="question"
        rows={2}
        className="field resize-y"
        value={question.message}
        onKeyDown={onKeyDown}
        onChange={({ target }) => change({ ...question, message: target.value })}
      />
      <SchemaField
        question={question}
        report={report}
        isEditing={isEditing}
        onEdit={setEditing}
        onChange={change}
      />
      <div className="mt-4 flex items-center gap-3">
        <button ref={button} className="button button-primary px-6" type="submit" disabled={!canAsk}>
          {ask.isPending ? 'Asking …' : 'Ask'}
        </button>
        <SubmitHint />
        <Link href="/ask" className="ml-auto flex items-center text-accent underline max-md:min-h-11">
          Model, limits and form
        </Link>
      </div>
      {ask.error !== null && (
        <div className="mt-4">
          <ProblemBox error={ask.error} />
        </div>
      )}
    </form>
  );
}
