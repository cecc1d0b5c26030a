/** Panel with programs that send the form's question, and the commands that run them. */
import type { ReactNode } from 'react';
import { CodeTabs } from '../parts/code/code-tabs.tsx';
import { CommandRow } from '../parts/code/copy-button.tsx';
import { tabToken } from '../session/access-token.ts';
import { codeSamples } from './code-samples.ts';
import type { AskedQuestion } from './question.ts';

/**
 * Renders the programs as tabs. The copied command contains the token of this tab, which is not
 * shown.
 */
export function CodePanel({ question }: { readonly question: AskedQuestion }): ReactNode {
  const token = tabToken();
  return (
    <section aria-label="In your code" className="mt-8">
      <CodeTabs title="In your code" samples={codeSamples(question, location.origin)}>
        {token !== undefined && (
          <CommandRow
            title="Once in a terminal"
            command="export TRUECAST_TOKEN=…"
            copied={`export TRUECAST_TOKEN=${token}`}
          />
        )}
      </CodeTabs>
    </section>
  );
}
