/** List of what is wrong with a schema: problems, and parts that no value fits. */
import type { ReactNode } from 'react';
import { CodeText } from '../parts/code/text-panel.tsx';
import type { ReportMark } from './schema-report.ts';

interface ListProps {
  readonly id: string;
  readonly marks: readonly ReportMark[];
  /** Called with a line of the text. @default the lines are not shown */
  readonly onSelect?: (line: number) => void;
}

/** Renders one row for each mark, or nothing without one. */
export function MarkList({ id, marks, onSelect }: ListProps): ReactNode {
  const listed = marks.filter(({ isProblem, isImpossible }) => isProblem || isImpossible === true);
  if (listed.length === 0) return null;
  return (
    <ul id={id} className="mt-2 space-y-1 text-sm">
      {listed.map(({ line, pointer, text, isProblem }) => (
        <li key={`${pointer} ${text}`} className={`break-words ${isProblem ? 'text-bad' : 'text-warn'}`}>
          {isProblem ? '× ' : '▲ '}
          {onSelect !== undefined && (
            <>
              <button type="button" className="text-left underline" onClick={() => onSelect(line)}>
                line {line}
              </button>{' '}
            </>
          )}
          {pointer !== '' && <code className="text-sm break-all">{pointer}</code>} <CodeText text={text} />
        </li>
      ))}
    </ul>
  );
}
