/** Panel with programs that send the form's question, and the commands that run them. */
import type { ReactNode } from 'react';
import { CodeTabs } from '../parts/code/code-tabs.tsx';
import { CommandRow } from '../parts/code/copy-button.tsx';
import { tabToken } from '../session/access-token.ts';
import { codeSamples } from './code-samples.ts';
import type { AskedQuestion } from './question.ts';

/** Prints the token of a server on this machine. */
const LOCAL = 'export TRUECAST_TOKEN=$(npx --no truecast token show)';

/**
 * Renders the programs as tabs. The copied command contains the token that was pasted into this tab, which is not
 * shown, or else prints that of the server on this machine.
 */
export function CodePanel({ question }: { readonly question: AskedQuestion }): ReactNode {
  const token = tabToken();
  return (
    <section aria-label="In your code" className="mt-8">
      <CodeTabs title="In your code" samples={codeSamples(question, location.origin)}>
        {(token !== undefined || isLocal()) && (
          <CommandRow
            title="Once in a terminal"
            command={token === undefined ? LOCAL : 'export TRUECAST_TOKEN=…'}
            copied={token === undefined ? LOCAL : `export TRUECAST_TOKEN=${token}`}
          />
        )}
      </CodeTabs>
    </section>
  );
}

function isLocal(): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(location.hostname);
}
