/** Page of one run: the agent's text with each attempt marked, and the answer beside it. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { count, duration, exactTime, money, plural } from '../parts/format.ts';
import { FactsList } from '../parts/facts-list.tsx';
import { Page, ProblemBox, Skeleton } from '../parts/page.tsx';
import { RunStatusWord } from '../parts/status-word.tsx';
import { useAddressFilters } from '../parts/select-field.tsx';
import { useSession } from '../session/session.tsx';
import { AnswerFields } from './answer-fields.tsx';
import { answerPositions } from '../value/answer-positions.ts';
import { MarkedTranscript } from './marked-transcript.tsx';
import { runCheck, type RunPageData } from './run-check.ts';
import { titleOfRun } from './run-rows.tsx';

/** Renders the page. */
export function RunPage({ id }: { readonly id: string }): ReactNode {
  const { call } = useSession();
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) =>
      call({ method: 'GET', path: `/api/runs/${encodeURIComponent(id)}`, check: runCheck, signal }),
    // A kept run does not change.
    staleTime: Infinity,
  });
  const { data } = run;
  return (
    <Page
      isWide
      title={data === undefined ? 'Run' : titleOfRun(data)}
      facts={
        data !== undefined && (
          <>
            <RunStatusWord status={data.status} />
            {data.is_replayed === true && <Replayed />}
          </>
        )
      }
    >
      {run.isPending && <Skeleton />}
      {run.error !== null && <ProblemBox error={run.error} onRetry={() => void run.refetch()} />}
      {data !== undefined && <Run run={data} />}
    </Page>
  );
}

/** The agent was not asked: its text came from a recording. */
function Replayed(): ReactNode {
  return <span className="rounded-sm bg-sunken px-1.5 py-0.5 text-sm text-muted">Replayed</span>;
}

function Run({ run }: { readonly run: RunPageData }): ReactNode {
  const { get, set } = useAddressFilters();
  const { transcript, attempts, value_text: valueText, error, prompt, warnings } = run;
  const accepted = attempts.findLast(({ code, span }) => code === 'ok' && span !== undefined)?.span;
  const positions = accepted === undefined ? new Map() : answerPositions(transcript.text, accepted);
  const field = get('field');
  const show = (pointer: string): void => set('field', pointer === field ? '' : pointer);
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(360px,440px)] lg:gap-10">
      <div className="min-w-0 space-y-6 lg:order-last">
        <div className="space-y-6 lg:sticky lg:top-6 lg:max-h-[calc(100dvh-48px)] lg:overflow-y-auto">
          {error !== undefined && (
            <p className="rounded-md border border-bad bg-bad-soft px-4 py-3 break-words text-bad">{error}</p>
          )}
          {valueText !== undefined && (
            <AnswerFields
              valueText={valueText}
              span={accepted}
              positions={positions}
              field={field}
              onShow={show}
            />
          )}
          <RunFacts run={run} />
        </div>
      </div>
      <div className="min-w-0 space-y-6">
        <MarkedTranscript
          transcript={transcript}
          attempts={attempts}
          positions={positions}
          field={field}
          onShow={show}
        />
        {warnings.length > 0 && (
          <section aria-label="Warnings">
            <h2 className="mb-2 font-semibold">Warnings</h2>
            <ul className="list-disc space-y-1 pl-5 break-words text-warn">
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </section>
        )}
        <details>
          <summary className="font-semibold">Prompt</summary>
          <p className="panel mt-2 max-h-96 overflow-auto bg-sunken p-4 break-words whitespace-pre-wrap">
            {prompt}
          </p>
        </details>
      </div>
    </div>
  );
}

function RunFacts({ run }: { readonly run: RunPageData }): ReactNode {
  const { agent, model, sandbox, egress, branch, commits, route, tag, usage, started_at, duration_ms } = run;
  const answer = route && `${route}${tag === undefined ? '' : ` <${tag}>`}`;
  const cost = usage?.cost_usd === undefined ? '' : `, ${money(usage.cost_usd)}`;
  return (
    <section aria-label="Facts">
      <h2 className="mb-2 font-semibold">Facts</h2>
      <FactsList
        facts={[
          ['Agent', model === undefined ? agent : `${agent}, ${model}`],
          ['Sandbox', egress === undefined ? sandbox : `${sandbox}, egress ${egress}`],
          ['Branch', branch],
          ['Commits', commits.length === 0 ? undefined : <Commits ids={commits} />],
          ['Answer by', answer],
          ['Attempts', run.attempts.length === 0 ? undefined : count(run.attempts.length)],
          ['Tokens', usage && `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out${cost}`],
          ['Started', exactTime(started_at)],
          ['Time', duration(duration_ms)],
        ]}
      />
    </section>
  );
}

const SHOWN_COMMITS = 5;

function Commits({ ids }: { readonly ids: readonly string[] }): ReactNode {
  const more = ids.length - SHOWN_COMMITS;
  return (
    <>
      {ids.slice(0, SHOWN_COMMITS).map((id) => (
        <code key={id} className="block" title={id}>
          {id.slice(0, 12)}
        </code>
      ))}
      {more > 0 && <span className="text-muted">and {plural(more, 'commit')} more</span>}
    </>
  );
}
