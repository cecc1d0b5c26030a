/** Repetition of a question from its failure: the model, and the button that asks it again. */
import { useState, type ReactNode } from 'react';
import { ProblemBox } from '../parts/page.tsx';
import { useModels } from '../session/use-models.ts';
import type { AskedQuestion } from './question.ts';
import { useAsk } from './question-frame.tsx';

interface AgainProps {
  readonly question: AskedQuestion;
  /** The model that failed. */
  readonly model: string | undefined;
}

/** Renders both controls. The question becomes a new chat, so the failure stays. */
export function RunAgain({ question, model = '' }: AgainProps): ReactNode {
  const ask = useAsk();
  const models = useModels();
  const [chosen, setChosen] = useState(model);
  const ids = models === undefined ? [model].filter((id) => id !== '') : models.map(({ id }) => id);
  // The server can have other models now.
  const next = ids.includes(chosen) ? chosen : '';
  return (
    <div role="group" aria-label="Run again" className="flex flex-wrap items-center gap-2">
      <select
        className="field w-auto max-w-full min-w-0 truncate"
        aria-label="Model of the next run"
        value={next}
        onChange={({ target }) => setChosen(target.value)}
      >
        {!ids.includes(model) && <option value="">Default model</option>}
        {ids.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
      <button
        className="button button-primary"
        disabled={ask.isPending}
        onClick={() => ask.mutate({ ...question, model: next || undefined })}
      >
        {ask.isPending ? 'Asking …' : 'Run again'}
      </button>
      {ask.error !== null && <ProblemBox error={ask.error} />}
    </div>
  );
}
