/** Entry of the console: exchanges the code in the address before the first request. */
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { ConsoleApp } from './app/app.tsx';
import { applyTheme, readTheme } from './parts/theme-switch.tsx';
import { takeLink } from './session/access-token.ts';
import { SessionProvider } from './session/session.tsx';
import './style.css';

const SharedPage = lazy(() =>
  import('./pages/shared-page.tsx').then(({ SharedPage: page }) => ({ default: page })),
);
// A share link of another person must not sign this browser in, nor use the session that it has.
const isShared = location.pathname === '/shared';
const link = isShared ? undefined : takeLink();
applyTheme(readTheme());
const root = document.getElementById('root');
if (root === null) throw new TypeError('Expected an element `root` in the page.');
createRoot(root).render(
  <StrictMode>
    {isShared ? (
      <Suspense>
        <SharedPage />
      </Suspense>
    ) : (
      <SessionProvider link={link}>
        <ConsoleApp />
      </SessionProvider>
    )}
  </StrictMode>,
);
