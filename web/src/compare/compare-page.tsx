/** Comparison of up to six answers to a question, or of runs: fields aligned, differences tinted, and what each cost. */
import type { ReactNode } from 'react';
import { parseSchema } from '../json/describe-schema.ts';
import { CommandLine } from '../parts/code/copy-button.tsx';
import { EmptyBox, Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { Icon } from '../parts/icon.tsx';
import { plural } from '../parts/format.ts';
import { useAddressFilters } from '../parts/list/select-field.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';
import { Link } from 'wouter';
import { MAX_COMPARED } from '../parts/list/selection-bar.tsx';
import { AddModels } from './add-models.tsx';
import { CompareCards } from './compare-cards.tsx';
import { figuresOf } from './compare-figures.ts';
import { CompareGrid } from './compare-grid.tsx';
import { fieldsOf, describeResult } from './compared.ts';
import { useComparedRequests, useComparedRuns, type Compared } from './use-compared.ts';

export function ComparePage(): ReactNode {
  const { get, change } = useAddressFilters();
  const idsOf = (name: string): readonly string[] =>
    [...new Set(get(name).split(','))].filter((id) => id !== '').slice(0, MAX_COMPARED);
  const requests = idsOf('requests');
  const runs = requests.length === 0 ? idsOf('runs') : [];
  const ofRequests = useComparedRequests(requests);
  const ofRuns = useComparedRuns(runs);
  const compared = runs.length === 0 ? ofRequests : ofRuns;
  if (requests.length + runs.length === 0) return <NothingToCompare />;
  return (
    <Comparison
      compared={compared}
      isRuns={runs.length > 0}
      room={MAX_COMPARED - requests.length}
      onAdd={(ids) => change({ requests: [...requests, ...ids].join(','), add: '' })}
    />
  );
}

interface ComparisonProps {
  readonly compared: Compared;
  readonly isRuns: boolean;
  readonly room: number;
  /** Adds answers, and closes the dialog. */
  readonly onAdd: (requestIds: readonly string[]) => void;
}

function Comparison({ compared, isRuns, room, onAdd }: ComparisonProps): ReactNode {
  const { answers, question = '', schemaText, name, isPending, error, onRetry } = compared;
  const { get, set } = useAddressFilters();
  const title = question.trim().split('\n')[0] || 'Comparison';
  const canAdd = !isRuns && room > 0 && schemaText !== undefined;
  return (
    <Page
      isWide
      crumb={isRuns ? RUNS : RECEIPTS}
      title={title}
      tabTitle={`Compare · ${title}`}
      facts={
        answers.length > 0 && (
          <span className="flex min-w-0 flex-wrap items-center gap-2.5 text-xs text-muted">
            {name !== undefined && !isRuns && <code className="badge text-xs!">{name}</code>}
            {plural(answers.length, isRuns ? 'run' : 'answer')}
          </span>
        )
      }
      actions={
        canAdd && (
          <button type="button" className="button button-primary" onClick={() => set('add', 'yes')}>
            <Icon name="add" />
            Add model
          </button>
        )
      }
    >
      {error !== null && <ProblemBox error={error} onRetry={onRetry} />}
      {isPending && answers.length === 0 && error === null && <Skeleton rows={6} />}
      {answers.length > 0 && <Answers compared={compared} isRuns={isRuns} title={title} />}
      {canAdd && get('add') === 'yes' && (
        <AddModels
          question={{ message: question, name: name ?? 'answer', schemaText }}
          room={room}
          onAdd={onAdd}
          onClose={() => set('add', '')}
        />
      )}
    </Page>
  );
}

interface AnswersProps {
  readonly compared: Compared;
  readonly isRuns: boolean;
  readonly title: string;
}

/** Renders the result, and the answers with all fields or with those that differ. */
function Answers({
  compared: { answers, question = '', schemaText },
  isRuns,
  title,
}: AnswersProps): ReactNode {
  const { get, set } = useAddressFilters();
  const isNarrow = useIsNarrow();
  const fields = fieldsOf(answers, parseSchema(schemaText ?? '{}'));
  const differing = fields.filter(({ isSame }) => !isSame);
  const isOne = answers.length === 1;
  const hasOnly = !isOne && get('fields') === 'differences';
  const parts = { answers, fields: hasOnly ? differing : fields, figures: figuresOf(answers) };
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-start gap-3 empty:hidden">
        {question.trim() !== title && (
          <p className="line-clamp-4 min-w-0 flex-1 basis-72 break-words whitespace-pre-wrap text-soft">
            {question.trim()}
          </p>
        )}
        {!isOne && (
          <span role="group" aria-label="Fields" className="segments ml-auto">
            <button type="button" aria-pressed={!hasOnly} onClick={() => set('fields', '')}>
              All fields
            </button>
            <button type="button" aria-pressed={hasOnly} onClick={() => set('fields', 'differences')}>
              Differences {differing.length}
            </button>
          </span>
        )}
      </div>
      <Verdict text={describeResult(answers, fields)} isRuns={isRuns} isOne={isOne} />
      {isNarrow ? <CompareCards {...parts} /> : <CompareGrid {...parts} />}
    </div>
  );
}

const RECEIPTS = { href: '/requests', name: 'Receipts' };
const RUNS = { href: '/runs', name: 'Runs' };

interface VerdictProps {
  readonly text: string;
  readonly isRuns: boolean;
  readonly isOne: boolean;
}

/** Renders the result, and the limit of one question. */
function Verdict({ text, isRuns, isOne }: VerdictProps): ReactNode {
  return (
    <div className="panel flex flex-wrap items-center gap-3 px-4 py-3">
      <Icon name="scale" className="size-4 text-accent-ink" />
      <p role="status" className="min-w-0 flex-1 basis-64 text-sm">
        <strong className="font-semibold">{isOne ? 'One answer.' : text}</strong>{' '}
        <span className="text-muted">
          {!isOne &&
            `One ${isRuns ? 'task' : 'question'} does not show which is better: compare them on many.`}
          {isOne && (isRuns ? 'Choose another run in their list.' : 'Add a model to see where they differ.')}
        </span>
      </p>
      {!isOne && (
        <span className="@max-2xl:hidden">
          <CommandLine command="truecast compare --inputs questions.jsonl" />
        </span>
      )}
    </div>
  );
}

function NothingToCompare(): ReactNode {
  return (
    <Page isWide title="Compare">
      <EmptyBox
        action={
          <Link href="/requests" className="button button-primary">
            Choose receipts
          </Link>
        }
      >
        Choose two to six receipts in their list, and press Compare. Runs of coding agents are compared in the
        same way.
      </EmptyBox>
    </Page>
  );
}
