/** Panel with the code that asks the form's question. */
import type { ReactNode } from 'react';
import { CodeTabs } from '../parts/code-tabs.tsx';
import { codeSamples } from './code-samples.ts';
import type { Question } from './question.ts';

/** Renders the programs as tabs. */
export function CodePanel({ question }: { readonly question: Question }): ReactNode {
  return (
    <section aria-label="In your code" className="mt-8">
      <CodeTabs title="In your code" samples={codeSamples(question, location.origin)} />
    </section>
  );
}
