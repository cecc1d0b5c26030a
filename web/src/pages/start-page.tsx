/** Start page: one question with a schema, the code that sends it, and the latest answers. */
import { useEffect, useRef, type ReactNode } from 'react';
import { Page } from '../parts/page.tsx';
import { useModels } from '../session/use-models.ts';
import { CodePanel } from '../question/code-panel.tsx';
import { ConnectModel, isScripted } from './connect-model.tsx';
import { StartForm } from './start-form.tsx';
import { useQuestion } from '../question/use-question.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { toQuery } from '@truecast/client/internal/to-query';
import { requestPageView } from '@truecast/client/internal/wire/request';
import { ReceiptRows, type ReceiptRow } from '../receipts/receipt-rows.tsx';
import { useSession } from '../session/session.tsx';

export function StartPage(): ReactNode {
  const form = useQuestion();
  const models = useModels();
  const button = useRef<HTMLButtonElement>(null);
  // After the heading, which every page focuses first.
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  return (
    <Page isWide title="Get a value, not a guess">
      <p className="-mt-4 mb-5 text-muted md:mb-6">
        Ask with a schema. You get a value that matches it, or the reason why not.
      </p>
      <ConnectModel models={models} />
      <StartColumns
        code={<CodePanel question={form.question} />}
        ask={
          <>
            <StartForm form={form} button={button} />
            {isScripted(models) && <Story />}
          </>
        }
      />
    </Page>
  );
}

interface ColumnsProps {
  readonly ask: ReactNode;
  readonly code: ReactNode;
}

/**
 * Renders the question next to its code, where there is room. The latest receipts follow, or are
 * before the code if there are many.
 */
function StartColumns({ ask, code }: ColumnsProps): ReactNode {
  const { requests, isMany } = useRecentRequests();
  return (
    <div className="flex flex-col xl:grid xl:grid-cols-2 xl:grid-rows-[auto_1fr] xl:gap-x-8">
      <div className="min-w-0">{ask}</div>
      <div
        className={`min-w-0 xl:order-none xl:col-start-2 xl:row-span-2 xl:row-start-1 xl:*:mt-0 ${isMany ? 'order-last' : ''}`}
      >
        {code}
      </div>
      <div className="min-w-0 xl:col-start-1">
        <RecentReceipts requests={requests} />
      </div>
    </div>
  );
}

const STEPS: readonly (readonly [string, string, string])[] = [
  ['draft', 'text-warn', 'The answer grows in the shape of your schema.'],
  ['× refused', 'text-bad', 'The first answer breaks a rule. The model gets the reason.'],
  ['✓ sealed', 'text-ok', 'The second one is valid: a typed value with a receipt.'],
];

/** Explains what the scripted model demonstrates. */
function Story(): ReactNode {
  return (
    <ol
      aria-label="What happens"
      className="mt-4 grid gap-x-6 gap-y-2 px-1 text-sm md:grid-cols-3 xl:grid-cols-1"
    >
      {STEPS.map(([word, look, text]) => (
        <li key={word}>
          <span className={`font-medium ${look}`}>{word}</span> <span className="text-muted">{text}</span>
        </li>
      ))}
    </ol>
  );
}

const SHOWN = 5;
/** With as many requests, a person knows the page and comes for the receipts. */
const MANY = 10;

interface RecentRequests {
  readonly requests: readonly ReceiptRow[];
  readonly isMany: boolean;
}

/** Returns the latest requests. None until they are read. */
function useRecentRequests(): RecentRequests {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['requests', 'recent'],
    queryFn: ({ signal }) => {
      const path = `/api/requests${toQuery({ limit: MANY, preview: 'true' })}`;
      return call({ method: 'GET', path, shape: requestPageView, signal });
    },
  });
  const requests = data?.requests ?? [];
  return { requests, isMany: requests.length >= MANY };
}

/** Renders the rows, or nothing before the first request. */
function RecentReceipts({ requests }: Pick<RecentRequests, 'requests'>): ReactNode {
  if (requests.length === 0) return null;
  return (
    <section aria-label="Recent" className="mt-8">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 className="font-semibold">Recent</h2>
        <Link href="/requests" className="text-accent underline">
          All receipts
        </Link>
      </div>
      <ReceiptRows requests={requests.slice(0, SHOWN)} />
    </section>
  );
}
