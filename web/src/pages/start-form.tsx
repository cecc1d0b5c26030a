/** Form of the start page: a question with a schema. */
import type { ReactNode, RefObject } from 'react';
import { Link } from 'wouter';
import { QuestionFrame } from '../question/question-frame.tsx';
import { SchemaField } from '../question/schema-field.tsx';
import type { QuestionForm } from '../question/use-question.ts';

interface FormProps {
  readonly form: QuestionForm;
  /** The button that sends the question. */
  readonly button: RefObject<HTMLButtonElement | null>;
}

export function StartForm({ form, button }: FormProps): ReactNode {
  const { question, change, report, isEditing, setEditing, isComplete } = form;
  const more = (
    <Link
      href="/ask"
      className="ml-auto flex items-center text-sm text-accent-ink underline @max-2xl:min-h-11"
    >
      Model, limits and form
    </Link>
  );
  return (
    <QuestionFrame question={question} isComplete={isComplete} button={button} aside={more}>
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
