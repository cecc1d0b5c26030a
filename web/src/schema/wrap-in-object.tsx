/** Way out for a schema that is not an object: one button makes it a member of one. */
import type { ReactNode } from 'react';
import type { ReportMark } from './schema-report.ts';
import { wrappedInObject } from './wrapped-in-object.ts';

interface WrapProps {
  readonly text: string;
  readonly marks: readonly ReportMark[];
  readonly onChange: (text: string) => void;
}

/** Renders the button for a schema with a problem and another root than an object. */
export function WrapInObject({ text, marks, onChange }: WrapProps): ReactNode {
  const wrapped = marks.some(({ isProblem }) => isProblem) ? wrappedInObject(text) : undefined;
  if (wrapped === undefined) return null;
  return (
    <button type="button" className="button mt-2" onClick={() => onChange(wrapped)}>
      Wrap in an object
    </button>
  );
}
