/** Panel with the code that asks the form's question. */
import { useState, type ReactNode } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { codeSamples } from './code-samples.ts';
import type { Question } from './question.ts';

/** Renders the programs as tabs. */
export function CodePanel({ question }: { readonly question: Question }): ReactNode {
  const samples = codeSamples(question, location.origin);
  const [chosen, setChosen] = useState('TypeScript');
  const sample = samples.find(({ name }) => name === chosen) ?? samples[0];
  if (sample === undefined) return null;
  return (
    <section aria-label="In your code" className="mt-8">
      <div className="mb-2 flex flex-wrap items-center gap-1">
        <h2 className="mr-3 font-semibold">In your code</h2>
        {samples.map(({ name }) => (
          <button
            key={name}
            className={`rounded-sm px-2 py-1 text-sm ${name === chosen ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:text-ink'}`}
            aria-pressed={name === chosen}
            onClick={() => setChosen(name)}
          >
            {name}
          </button>
        ))}
        <span className="ml-auto">
          <CopyButton text={sample.code} />
        </span>
      </div>
      <pre
        className="panel max-h-[420px] overflow-auto bg-sunken p-4"
        tabIndex={0}
        aria-label={`${sample.name} program`}
      >
        {sample.code}
      </pre>
    </section>
  );
}
