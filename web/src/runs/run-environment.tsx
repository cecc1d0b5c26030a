/** Environment of a run: agent, sandbox, branch, usage and times, with its warnings and its prompt. */
import type { ReactNode } from 'react';
import { countText, duration, exactTime, money } from '../parts/format.ts';
import { FactsList } from '../parts/facts-list.tsx';
import type { RunDetailView } from '@truecast/client/internal/wire/run';

/** Renders the sections. */
export function RunEnvironmentFacts({ run }: { readonly run: RunDetailView }): ReactNode {
  const { prompt, warnings } = run;
  return (
    <div className="grid gap-6 @4xl:grid-cols-2 @4xl:gap-10">
      <RunFacts run={run} />
      <div className="min-w-0 space-y-6">
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
        <section aria-label="Prompt">
          <h2 className="mb-2 font-semibold">Prompt</h2>
          <p
            tabIndex={0}
            className="panel max-h-96 overflow-auto bg-well p-4 break-words whitespace-pre-wrap"
          >
            {prompt === '' ? 'The run had no prompt.' : prompt}
          </p>
        </section>
      </div>
    </div>
  );
}

function RunFacts({ run }: { readonly run: RunDetailView }): ReactNode {
  const { agent, model, sandbox, egress, branch, mode, tag, schema_hash: hash, usage } = run;
  const cost = usage?.cost_usd === undefined ? '' : `, ${money(usage.cost_usd)}`;
  return (
    <section aria-label="Facts">
      <h2 className="mb-2 font-semibold">Facts</h2>
      <FactsList
        facts={[
          ['Agent', agent],
          ['Model', model],
          ['Sandbox', sandbox],
          ['Egress', egress],
          ['Branch', branch && <code className="break-all">{branch}</code>],
          ['Answer by', mode && `${mode}${tag === undefined ? '' : ` <${tag}>`}`],
          ['Schema', hash && <code title={hash}>{hash.slice(0, 12)}</code>],
          [
            'Tokens',
            usage && `${countText(usage.input_tokens)} in, ${countText(usage.output_tokens)} out${cost}`,
          ],
          ['Started', exactTime(run.started_at)],
          [run.status === 'live' ? 'Time so far' : 'Time', duration(run.duration_ms)],
          ['Run', <code key="id">{run.id}</code>],
        ]}
      />
    </section>
  );
}
