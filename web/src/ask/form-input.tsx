/** Labelled input of the Ask page, with its problem below it. */
import type { ReactNode } from 'react';

interface InputProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly problem?: string | undefined;
  readonly placeholder?: string;
  /** Rows of a text that can have several lines. @default one line */
  readonly rows?: number;
  readonly isCode?: boolean;
  readonly onChange: (value: string) => void;
}

export function FormInput({
  label,
  problem,
  rows,
  isCode = false,
  onChange,
  ...input
}: InputProps): ReactNode {
  const shared = {
    ...input,
    className: `field ${isCode ? 'font-mono text-code' : ''}`,
    spellCheck: !isCode,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${input.id}-problem`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  return (
    <div className="min-w-0">
      <label className="label break-words" htmlFor={input.id}>
        {label}
      </label>
      {rows === undefined ? <input {...shared} /> : <textarea {...shared} rows={rows} />}
      {problem !== undefined && (
        <p id={`${input.id}-problem`} className="mt-1 text-sm break-words text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
