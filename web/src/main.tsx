/** Entry of the console: removes the token from the address before the first request. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ConsoleApp } from './app/app.tsx';
import { applyTheme, readTheme } from './parts/theme-switch.tsx';
import { takeToken } from './session/access-token.ts';
import { SessionProvider } from './session/session.tsx';
import './style.css';

takeToken();
applyTheme(readTheme());
const root = document.getElementById('root');
if (root === null) throw new TypeError('Expected an element `root` in the page.');
createRoot(root).render(
  <StrictMode>
    <SessionProvider>
      <ConsoleApp />
    </SessionProvider>
  </StrictMode>,
);
