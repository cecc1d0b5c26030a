/** Routes of the console. Pages other than the first view are loaded when they are opened. */
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { EmptyBox, Page, Skeleton } from '../parts/page.tsx';
import { StartPage } from '../pages/start-page.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { Shell } from './shell.tsx';

const AskPage = lazy(() => import('../ask/ask-page.tsx').then(({ AskPage: page }) => ({ default: page })));
const loadChatPage = () => import('../pages/chat-page.tsx');
const ChatPage = lazy(() => loadChatPage().then(({ ChatDetailPage: page }) => ({ default: page })));
const ChatsPage = lazy(() =>
  import('../pages/chats-page.tsx').then(({ ChatsPage: page }) => ({ default: page })),
);
const ComparePage = lazy(() =>
  import('../compare/compare-page.tsx').then(({ ComparePage: page }) => ({ default: page })),
);
const ReceiptPage = lazy(() =>
  import('../pages/receipt-page.tsx').then(({ ReceiptPage: page }) => ({ default: page })),
);
const DocsPage = lazy(() =>
  import('../reference/docs-page.tsx').then(({ DocsPage: page }) => ({ default: page })),
);
const ReceiptsPage = lazy(() =>
  import('../receipts/receipts-page.tsx').then(({ ReceiptsPage: page }) => ({ default: page })),
);
const FoundReceipt = lazy(() =>
  import('../pages/found-receipt.tsx').then(({ FoundReceipt: page }) => ({ default: page })),
);
const ScenariosPage = lazy(() =>
  import('../stage/scenarios-page.tsx').then(({ ScenariosPage: page }) => ({ default: page })),
);
const SchemaPage = lazy(() =>
  import('../schemas/schema-page.tsx').then(({ SchemaDetailPage: page }) => ({ default: page })),
);
const QualityPage = lazy(() =>
  import('../quality/quality-page.tsx').then(({ QualityPage: page }) => ({ default: page })),
);
const RunsPage = lazy(() =>
  import('../runs/list/runs-page.tsx').then(({ RunsPage: page }) => ({ default: page })),
);
const RunPage = lazy(() => import('../runs/run-page.tsx').then(({ RunPage: page }) => ({ default: page })));
const EnsemblesPage = lazy(() =>
  import('../stage/ensembles-page.tsx').then(({ EnsemblesPage: page }) => ({ default: page })),
);
const StagePage = lazy(() =>
  import('../stage/stage-page.tsx').then(({ StagePage: page }) => ({ default: page })),
);
const SettingsPage = lazy(() =>
  import('../pages/settings-page.tsx').then(({ SettingsPage: page }) => ({ default: page })),
);

/** Renders the page of the address. */
export function ConsoleApp(): ReactNode {
  const [address] = useLocation();
  const isForm = address === '/' || address === '/ask';
  useEffect(() => {
    // The next page of a form, so that no moment is blank after `Ask`.
    if (isForm) void loadChatPage();
  }, [isForm]);
  return (
    <Shell>
      <PageBoundary address={address}>
        <Suspense fallback={<Loading />}>
          <Switch>
            <Route path="/" component={StartPage} />
            <Route path="/ask" component={AskPage} />
            <Route path="/chats" component={ChatsPage} />
            <Route path="/chats/:id">{({ id }) => <ChatPage key={id} chatId={id} />}</Route>
            <Route path="/chats/:id/requests/:request">
              {({ id, request }) => <ReceiptPage key={request} chatId={id} requestId={request} />}
            </Route>
            <Route path="/compare" component={ComparePage} />
            <Route path="/docs" component={DocsPage} />
            <Route path="/requests" component={ReceiptsPage} />
            <Route path="/requests/:id">{({ id }) => <FoundReceipt key={id} requestId={id} />}</Route>
            <Route path="/runs" component={RunsPage} />
            <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
            <Route path="/stage" component={EnsemblesPage} />
            <Route path="/stage/:run">
              {({ run }) => <StagePage key={run} runId={decodeURIComponent(run)} />}
            </Route>
            <Route path="/scenarios" component={ScenariosPage} />
            <Route path="/quality" component={QualityPage} />
            <Route path="/schemas/:hash">{({ hash }) => <SchemaPage key={hash} hash={hash} />}</Route>
            <Route path="/settings" component={SettingsPage} />
            <Route>
              <Page title="Page not found">
                <EmptyBox
                  action={
                    <Link href="/" className="button button-primary">
                      Open the start page
                    </Link>
                  }
                >
                  The console has no page at this address.
                </EmptyBox>
              </Page>
            </Route>
          </Switch>
        </Suspense>
      </PageBoundary>
    </Shell>
  );
}

function Loading(): ReactNode {
  return (
    <main id="page" className="mx-auto w-full max-w-[1360px] px-4 py-6 *:max-w-[960px] @2xl:px-8">
      <h1 className="sr-only">Loading</h1>
      <Skeleton />
    </main>
  );
}
