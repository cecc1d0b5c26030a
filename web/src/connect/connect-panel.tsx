/** Ways to connect a model: the form if this token and this server allow it, and the commands. */
import type { ReactNode } from 'react';
import { Skeleton } from '../parts/page.tsx';
import { useMe } from '../session/use-me.ts';
import { canConnect } from './can-connect.ts';
import { ConnectForm } from './connect-form.tsx';
import { ConnectWays } from './connect-ways.tsx';

/** Renders the form, with the commands folded below it, or the commands alone. */
export function ConnectPanel(): ReactNode {
  const me = useMe();
  if (me.isPending) return <Skeleton />;
  if (!canConnect(me.data)) return <ConnectWays />;
  return (
    <>
      <ConnectForm />
      <details className="border-t border-line">
        <summary className="px-4 py-3 text-sm text-muted">
          <span className="underline">Connect it at each start</span>, with a command
        </summary>
        <ConnectWays />
      </details>
    </>
  );
}
