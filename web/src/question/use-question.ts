/** State of the question's form: the draft, and the report about its schema while it is edited. */
import { useState } from 'react';
import { useSchemaReport, type SchemaReport } from '../schema/schema-report.ts';
import { keepQuestion, readQuestion, schemaProblem, type Question } from './question.ts';

export interface QuestionForm {
  readonly question: Question;
  readonly change: (question: Question) => void;
  readonly report: SchemaReport | undefined;
  readonly isEditing: boolean;
  readonly setEditing: (isEditing: boolean) => void;
  /** False if the server would refuse the question. */
  readonly isComplete: boolean;
}

/** Reads the kept draft, and keeps each change. */
export function useQuestion(): QuestionForm {
  const [question, setQuestion] = useState(readQuestion);
  const { message, name, schemaText } = question;
  const isSchema = schemaProblem(schemaText) === undefined;
  const [isEditing, setEditing] = useState(!isSchema);
  const report = useSchemaReport(name, schemaText, isEditing);
  const isRefused = isEditing && report?.marks.some(({ isProblem }) => isProblem) === true;
  return {
    question,
    change: (changed) => {
      setQuestion(changed);
      keepQuestion(changed);
    },
    report,
    isEditing,
    setEditing,
    isComplete: message.trim() !== '' && isSchema && !isRefused,
  };
}
