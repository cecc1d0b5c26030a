/** Start page: one question with a schema, the code that sends it, and the latest answers. */
import { useEffect, useRef, type KeyboardEvent, type ReactNode, type SubmitEvent } from 'react';
import { Link } from 'wouter';
import { Page, ProblemBox } from '../parts/page.tsx';
import { SubmitHint } from '../parts/submit-hint.tsx';
import { useModels } from '../session/use-models.ts';
import { CodePanel } from './code-panel.tsx';
import { ConnectModel, isScripted } from './connect-model.tsx';
import type { Question } from './question.ts';
import { RecentReceipts, useRecentRequests } from './recent-receipts.tsx';
import { SchemaField } from './schema-field.tsx';
import { useAsk } from './use-ask.ts';
import { useQuestion } from './use-question.ts';

/** Renders the page. */
export function StartPage(): ReactNode {
  const { question, change, report, isEditing, setEditing, isComplete } = useQuestion();
  const ask = useAsk();
  const button = useRef<HTMLButtonElement>(null);
  const models = useModels();
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  const canAsk = !ask.isPending && isComplete;
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (canAsk) ask.mutate(question);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  return (
    <Page title="Get a value, not a guess">
      <p className="-mt-4 mb-5 text-muted md:mb-6">
        Ask with a schema. You get a value that matches it, or the reason why not.
      </p>
      <ConnectModel models={models} />
      <form onSubmit={submit} className="panel p-4 md:p-6">
        <label className="label" htmlFor="question">
          Question
        </label>
        <textarea
          id="question"
          rows={2}
          className="field resize-y"
          value={question.message}
          onKeyDown={onKeyDown}
          onChange={({ target }) => change({ ...question, message: target.value })}
        />
        <SchemaField
          question={question}
          report={report}
          isEditing={isEditing}
          onEdit={setEditing}
          onChange={change}
        />
        <div className="mt-4 flex items-center gap-3">
          <button ref={button} className="button button-primary px-6" type="submit" disabled={!canAsk}>
            {ask.isPending ? 'Asking …' : 'Ask'}
          </button>
          <SubmitHint />
          <Link href="/ask" className="ml-auto flex items-center text-accent underline max-md:min-h-11">
            Model, limits and form
          </Link>
        </div>
        {ask.error !== null && (
          <div className="mt-4">
            <ProblemBox error={ask.error} />
          </div>
        )}
      </form>
      {isScripted(models) && <Story />}
      <CodeAndRecent question={question} />
    </Page>
  );
}

/** Renders the code, and the latest receipts after it, or before it if there are many. */
function CodeAndRecent({ question }: { readonly question: Question }): ReactNode {
  const { requests, isMany } = useRecentRequests();
  return (
    <>
      {isMany && <RecentReceipts requests={requests} />}
      <CodePanel question={question} />
      {!isMany && <RecentReceipts requests={requests} />}
    </>
  );
}

const STEPS: readonly (readonly [string, string, string])[] = [
  ['draft', 'text-warn', 'The answer grows in the shape of your schema.'],
  ['× refused', 'text-bad', 'The first answer breaks a rule. The model gets the reason.'],
  ['✓ sealed', 'text-ok', 'The second one is valid: a typed value with a receipt.'],
];

/** Explains what the scripted model demonstrates. */
function Story(): ReactNode {
  return (
    <ol aria-label="What happens" className="mt-4 grid gap-x-6 gap-y-2 px-1 text-sm md:grid-cols-3">
      {STEPS.map(([word, look, text]) => (
        <li key={word}>
          <span className={`font-medium ${look}`}>{word}</span> <span className="text-muted">{text}</span>
        </li>
      ))}
    </ol>
  );
}
