/** Environment of a run: agent, sandbox, branch, usage and times, with its warnings and its prompt. */
import type { ReactNode } from 'react';
import { countText, duration, exactTime, money } from '../parts/format.ts';
import { FactsList, type Fact } from '../parts/facts-list.tsx';
import { DurableFacts } from './durable/durable-facts.tsx';
import type { ShownRun } from './model/shown-run.ts';

/** Renders the sections. */
export function RunEnvironmentFacts({ run }: { readonly run: ShownRun }): ReactNode {
  const { prompt, warnings } = run;
  return (
    <div className="grid gap-6 @4xl:grid-cols-2 @4xl:gap-10">
      <div className="min-w-0 space-y-6">
        <RunFacts run={run} />
        {run.durable !== undefined && <DurableFacts run={run.durable} />}
      </div>
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

/** Fields that other parts of the page show, or another row does. */
type ShownElsewhere =
  | 'attempts'
  | 'check'
  | 'code'
  | 'commits'
  | 'durable'
  | 'failure'
  | 'is_replayed'
  | 'name'
  | 'prompt'
  | 'prompt_preview'
  | 'repairs'
  | 'status'
  | 'tag'
  | 'text'
  | 'transcript'
  | 'value_preview'
  | 'value_text'
  | 'warnings';

/** A row for each other field, in this order. A new field without one does not compile. */
function factsOf(run: ShownRun): Readonly<Record<Exclude<keyof ShownRun, ShownElsewhere>, Fact>> {
  const { branch, mode, tag, schema_hash: hash, usage } = run;
  const cost = usage?.cost_usd === undefined ? '' : `, ${money(usage.cost_usd)}`;
  const tokens = usage && `${countText(usage.input_tokens)} in, ${countText(usage.output_tokens)} out${cost}`;
  return {
    agent: ['Agent', run.agent],
    model: ['Model', run.model],
    sandbox: ['Sandbox', run.sandbox],
    egress: ['Egress', run.egress],
    branch: ['Branch', branch && <code className="break-all">{branch}</code>],
    mode: ['Answer by', mode && `${mode}${tag === undefined ? '' : ` <${tag}>`}`],
    schema_hash: ['Schema', hash && <code title={hash}>{hash.slice(0, 12)}</code>],
    usage: ['Tokens', tokens],
    started_at: ['Started', exactTime(run.started_at)],
    duration_ms: [run.status === 'live' ? 'Time so far' : 'Time', duration(run.duration_ms)],
    id: ['Run', <code key="id">{run.id}</code>],
  };
}

function RunFacts({ run }: { readonly run: ShownRun }): ReactNode {
  return (
    <section aria-label="Facts">
      <h2 className="mb-2 font-semibold">Facts</h2>
      <FactsList facts={Object.values(factsOf(run))} />
    </section>
  );
}
