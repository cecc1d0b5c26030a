/** Marks above the scrubber: the verdicts, failures and visitors of a run. */
import type { ReactNode } from 'react';
import type { StageLine } from './stage-lines.ts';

/** A longer run has several lines for each mark. */
const MAX_MARKS = 120;

/** The most notable kind of a mark's lines is shown. */
const LOOKS: readonly (readonly [string, string])[] = [
  ['judge.verdict', 'h-3 bg-accent'],
  ['agent.failed', 'h-3 bg-bad'],
  ['agent.skipped', 'h-3 bg-warn'],
  ['user.injected', 'h-3 bg-ink'],
];
const SPEECH = 'h-1.5 bg-control';

interface MarksProps {
  readonly lines: readonly StageLine[];
  readonly at: number;
}

/** Renders the marks. The list of lines has the same information as text. */
export function LineMarks({ lines, at }: MarksProps): ReactNode {
  const perMark = Math.max(1, Math.ceil(lines.length / MAX_MARKS));
  const marks = Array.from({ length: Math.ceil(lines.length / perMark) }, (_none, index) => {
    const kinds = new Set(lines.slice(index * perMark, (index + 1) * perMark).map(({ event }) => event.kind));
    return LOOKS.find(([kind]) => kinds.has(kind))?.[1] ?? SPEECH;
  });
  return (
    <div aria-hidden="true" className="flex h-3 min-w-0 basis-full items-end overflow-hidden">
      {marks.map((look, index) => (
        // Marks have no identity except their place.
        <span key={index} className="flex min-w-0 flex-1 items-end justify-center">
          <span
            className={`w-[3px] min-w-0 shrink rounded-[1px] ${look} ${index * perMark > at ? 'opacity-40' : ''}`}
          />
        </span>
      ))}
    </div>
  );
}
