/** Columns of a list of answers: attempts, time and cost, by which the server orders it. */
import type { ReactNode } from 'react';
import { duration, money } from '../parts/format.ts';
import type { Column } from '../parts/list/table.tsx';

/** The numbers of an answer. Undefined ones are not known yet. */
export interface AnswerNumbers {
  readonly status: string | undefined;
  readonly attempts: number | undefined;
  readonly ms: number | undefined;
  readonly costUsd: number | undefined;
}

/** Returns the columns. */
export function answerColumns<Row>(numbersOf: (row: Row) => AnswerNumbers): readonly Column<Row>[] {
  return [
    {
      head: 'Attempts',
      track: '84px',
      isNumber: true,
      isLast: true,
      noun: 'attempts',
      orderBy: (row) => numbersOf(row).attempts,
      cell: (row) => numbersOf(row).attempts || undefined,
      mark: (row) => <AttemptDots {...numbersOf(row)} />,
      // The line of a failure has them.
      folded: (row) => {
        const { attempts, status } = numbersOf(row);
        return status === 'failed' ? undefined : attempts || undefined;
      },
    },
    {
      head: 'Time',
      track: '56px',
      isNumber: true,
      orderBy: (row) => numbersOf(row).ms,
      cell: (row) => {
        const { ms } = numbersOf(row);
        return ms === undefined ? undefined : duration(ms);
      },
    },
    {
      head: 'Cost',
      track: '64px',
      isNumber: true,
      isLast: true,
      orderBy: (row) => numbersOf(row).costUsd,
      cell: (row) => {
        const { costUsd } = numbersOf(row);
        return costUsd === undefined ? undefined : money(costUsd);
      },
    },
  ];
}

const DOTS = 5;

/** One dot for each attempt, the last one green if it was valid. */
function AttemptDots({ attempts = 0, status }: AnswerNumbers): ReactNode {
  if (attempts === 0) return null;
  return (
    <span aria-hidden="true" className="ml-2 inline-flex gap-[3px] align-middle">
      {Array.from({ length: DOTS }, (_none, index) => {
        const isEnd = index === Math.min(attempts, DOTS) - 1;
        const look =
          index >= attempts ? 'bg-edge' : isEnd && status === 'succeeded' ? 'bg-ok-fill' : 'bg-bad-fill';
        // Dots have no identity except their order.
        return <span key={index} className={`size-[5px] rounded-full ${look}`} />;
      })}
    </span>
  );
}
