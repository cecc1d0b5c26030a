/**
 * Page of a share link: one receipt, read with the key of the link alone. It has no session: it neither uses
 * nor changes that of the browser.
 */
import { useEffect, useState, type ReactNode } from 'react';
import type { Receipt } from '@truecast/client';
import { callServer } from '@truecast/client/internal/calls/http-caller';
import { sharedReceiptView, type SharedReceiptView } from '@truecast/client/internal/wire/share';
import { indentIfJson } from '../json/indent-json.ts';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { CodeText, TextPanel } from '../parts/code/text-panel.tsx';
import { exactTime } from '../parts/format.ts';
import { BrandMark } from '../parts/mark.tsx';
import { ModelName } from '../parts/model-name.tsx';
import { Skeleton } from '../parts/page.tsx';
import { RequestStatusWord } from '../parts/status-word.tsx';
import { Proof } from '../receipts/proof.tsx';
import { AnswerPanel } from '../value/value-panel.tsx';

type Read =
  | { readonly state: 'pending' }
  | { readonly state: 'shown'; readonly shared: SharedReceiptView }
  | { readonly state: 'failed'; readonly message: string };

/** The key stays in the address, so that the page can be read again. Browsers send it to no server. */
function keyOfAddress(): string {
  return new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
}

async function readShared(signal: AbortSignal): Promise<Read> {
  const connection = {
    baseURL: location.origin,
    token: keyOfAddress() || 'none',
    fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, { ...init, credentials: 'omit' }),
    maxRetries: 2,
  };
  const call = { method: 'GET', path: '/api/shared_receipt', shape: sharedReceiptView, signal } as const;
  try {
    return { state: 'shown', shared: await callServer(connection, call) };
  } catch (error) {
    return {
      state: 'failed',
      message: error instanceof Error ? error.message : 'The receipt cannot be read.',
    };
  }
}

export function SharedPage(): ReactNode {
  const [read, setRead] = useState<Read>({ state: 'pending' });
  useEffect(() => {
    document.title = 'Shared receipt · Truecast';
    const leaving = new AbortController();
    const show = async (): Promise<void> => {
      const next = await readShared(leaving.signal);
      if (!leaving.signal.aborted) setRead(next);
    };
    void show();
    // Another link that is opened in this tab changes only the fragment.
    const renew = (): void => location.reload();
    addEventListener('hashchange', renew);
    return () => {
      leaving.abort();
      removeEventListener('hashchange', renew);
    };
  }, []);
  return (
    <main
      id="page"
      className="@container mx-auto flex min-h-dvh w-full max-w-[960px] flex-col gap-6 px-4 py-8"
    >
      <BrandMark />
      {read.state === 'pending' && <Skeleton />}
      {read.state === 'failed' && (
        <>
          <h1 className="text-xl font-semibold">No receipt</h1>
          <p role="alert" className="rounded-lg border border-bad-edge bg-bad-soft px-4 py-3 text-bad">
            {read.message}
          </p>
        </>
      )}
      {read.state === 'shown' && <Shared {...read.shared} />}
    </main>
  );
}

function Shared({ receipt, schema_text: schemaText, expires_at: expiry }: SharedReceiptView): ReactNode {
  const { name = 'answer', status, model, ended_at: ended } = receipt;
  return (
    <>
      <header className="space-y-1.5">
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="text-xl font-semibold break-words">Receipt of {name}</h1>
          <RequestStatusWord isBadge status={status} />
        </div>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          {model !== undefined && <ModelName id={model} />}
          <span>Shared until {exactTime(expiry)}</span>
        </p>
      </header>
      <AnswerPanel
        name={name}
        schemaText={schemaText}
        attempts={[]}
        hidesAttempts
        receipt={receipt}
        sealedAt={ended}
      />
      <Attempts attempts={receipt.attempts} />
      <Proof receipt={receipt} />
      <Source title="Schema" text={indentIfJson(schemaText)} />
      <Source title="Receipt as JSON" text={JSON.stringify(receipt, undefined, 2)} />
    </>
  );
}

/** The texts of the model are no part of a receipt. Its problems are. */
function Attempts({ attempts }: Pick<Receipt, 'attempts'>): ReactNode {
  if (attempts.length === 0) return null;
  return (
    <section aria-label="Attempts">
      <h2 className="mb-2 font-semibold">Attempts</h2>
      <ol className="panel divide-y divide-line">
        {attempts.map(({ code, issues = [] }, index) => (
          // Attempts have no identity except their order.
          <li key={index} className="px-4 py-2.5">
            <p className={code === 'ok' ? 'text-ok' : 'text-bad'}>
              Attempt {index + 1}: {code === 'ok' ? 'valid' : code.replaceAll('_', ' ')}
            </p>
            {issues.map(({ path, rule }) => (
              <p key={`${path} ${rule}`} className="text-sm break-words text-muted">
                <code>{path === '' ? 'the whole value' : path}</code> <CodeText text={rule} />
              </p>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Source({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <section aria-label={title}>
      <div className="mb-1 flex items-center justify-between">
        <h2 className="font-semibold">{title}</h2>
        <CopyButton text={text} />
      </div>
      <TextPanel text={text} label={title} wraps />
    </section>
  );
}
