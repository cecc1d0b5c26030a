/** Start page: one question with a schema, the code that sends it, and the latest answers. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ModelView } from '@truecast/client';
import { Card } from '../parts/card.tsx';
import { plural } from '../parts/format.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Page } from '../parts/page.tsx';
import { useModels } from '../session/use-models.ts';
import { ModelList } from '../settings/model-list.tsx';
import { ExampleCards } from '../question/example-cards.tsx';
import { CodePanel } from '../question/code-panel.tsx';
import { ConnectModel, isScripted } from '../connect/connect-model.tsx';
import { StartForm } from './start-form.tsx';
import { useQuestion } from '../question/use-question.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { toQuery } from '@truecast/client/internal/calls/to-query';
import { requestPageView } from '@truecast/client/internal/wire/request';
import type { ReceiptRow } from '../receipts/receipt-row.ts';
import { ReceiptRows } from '../receipts/receipt-rows.tsx';
import { useSession } from '../session/session.tsx';

export function StartPage(): ReactNode {
  const form = useQuestion();
  const models = useModels();
  const [model, setModel] = useState('');
  const button = useRef<HTMLButtonElement>(null);
  // After the heading, which every page focuses first.
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  useEffect(preloadChat, []);
  const { requests } = useRecentRequests();
  return (
    <Page
      isWide
      title="Start"
      actions={
        models !== undefined && (
          <Link href="/settings" className="button button-quiet">
            <Icon name="plug" />
            {plural(models.length, 'model')}
          </Link>
        )
      }
    >
      <div className="mx-auto grid max-w-[1080px] grid-cols-[minmax(0,1fr)] gap-9 pb-6 @2xl:pt-5">
        <section aria-label="Question">
          <h2 className="text-2xl font-semibold tracking-[-0.02em] @2xl:text-3xl">
            Get a value, <span className="text-accent-ink">not a guess</span>
          </h2>
          <p className="mt-1.5 mb-5 text-lg text-muted">
            Ask with a schema. You get a value that matches it, or the reason why not.
          </p>
          <ConnectModel models={models} button={button} />
          <StartForm form={form} button={button} models={models ?? []} model={model} onModel={setModel} />
          {isScripted(models) && <Story />}
        </section>
        <ExampleCards question={form.question} onChoose={form.change} />
        <RecentReceipts requests={requests} />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 @4xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          {models !== undefined && <Models models={models} />}
          <div className="min-w-0 *:mt-0">
            <CodePanel question={form.question} />
          </div>
        </div>
      </div>
    </Page>
  );
}

/** Loads the code of the chat page, which opens with the answer. */
function preloadChat(): (() => void) | undefined {
  const load = (): void => void import('./chat-page.tsx').catch(() => undefined);
  if (document.readyState === 'complete') {
    load();
    return undefined;
  }
  addEventListener('load', load);
  return () => removeEventListener('load', load);
}

function Models({ models }: { readonly models: readonly ModelView[] }): ReactNode {
  return (
    <Card title="Models" about="of this server">
      <ModelList models={models} />
    </Card>
  );
}

const STEPS: readonly (readonly [string, IconName, string, string])[] = [
  ['draft', 'draft', 'badge-live', 'The answer grows in the shape of your schema.'],
  ['refused', 'refused', 'badge-bad', 'The first answer breaks a rule. The model gets the reason.'],
  ['sealed', 'valid', 'badge-ok', 'The second one is valid: a typed value with a receipt.'],
];

/** Explains the demonstration of the scripted model. */
function Story(): ReactNode {
  return (
    <ol aria-label="What happens" className="mt-5 grid gap-x-6 gap-y-2 text-sm @4xl:grid-cols-3">
      {STEPS.map(([word, icon, look, text]) => (
        <li key={word} className="flex items-start gap-2.5">
          <span className={`badge shrink-0 ${look}`}>
            <Icon name={icon} className="size-3.5" />
            {word}
          </span>
          <span className="min-w-0 text-muted">{text}</span>
        </li>
      ))}
    </ol>
  );
}

const SHOWN = 5;

/** Returns the latest requests. None until they are read. */
function useRecentRequests(): { readonly requests: readonly ReceiptRow[] } {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['requests', 'recent'],
    queryFn: ({ signal }) => {
      const path = `/api/requests${toQuery({ limit: SHOWN, preview: 'true' })}`;
      return call({ method: 'GET', path, shape: requestPageView, signal });
    },
  });
  return { requests: data?.requests ?? [] };
}

/** Renders the rows, or nothing before the first request. */
function RecentReceipts({ requests }: { readonly requests: readonly ReceiptRow[] }): ReactNode {
  if (requests.length === 0) return null;
  return (
    <section aria-label="Recent" className="min-w-0">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 className="font-semibold">Recent</h2>
        <Link href="/requests" className="text-accent-ink underline">
          All receipts
        </Link>
      </div>
      <ReceiptRows isPanel requests={requests} />
    </section>
  );
}
