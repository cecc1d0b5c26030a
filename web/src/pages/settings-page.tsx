/** Settings of the console. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ThemeSwitch } from '../app/theme-switch.tsx';
import { Page } from '../parts/page.tsx';

/** Renders the page. */
export function SettingsPage(): ReactNode {
  return (
    <Page title="Settings">
      <section aria-label="Appearance" className="panel flex items-center justify-between px-4 py-3">
        <h2 className="font-semibold">Theme</h2>
        <ThemeSwitch />
      </section>
      <Link href="/docs" className="button mt-4 md:hidden">
        API reference
      </Link>
    </Page>
  );
}
