/** Timeline of a turn: one axis with queue, model and tool time, and the end of each attempt. */
import type { ReactNode } from 'react';
import { duration } from '../../parts/format.ts';
import { spansOf, type TurnSpan } from './turn-spans.ts';
import type { TranscriptTurn } from './turns.ts';

const TICKS = 4;

/** Renders the bars. Each is a button that scrolls to its step. */
export function Timeline({ turn }: { readonly turn: TranscriptTurn }): ReactNode {
  const spans = spansOf(turn);
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return null;
  const startMs = first.startMs;
  const totalMs = Math.max(1, last.endMs - startMs);
  return (
    <section aria-label="Timeline" className="mt-5">
      <div className="mb-1.5 flex items-baseline justify-between">
        <h2 className="caption">Timeline</h2>
        <Legend spans={spans} />
      </div>
      <div className="flex h-8 gap-0.5">
        {spans.map((span) => (
          <Bar key={span.messageId} span={span} share={(span.endMs - span.startMs) / totalMs} />
        ))}
      </div>
      <div className="mt-1 flex justify-between text-xs text-muted" aria-hidden="true">
        {Array.from({ length: TICKS }, (_none, index) => (
          <span key={index}>{index === 0 ? '0 s' : duration((totalMs * index) / (TICKS - 1))}</span>
        ))}
      </div>
    </section>
  );
}

const LOOK = { model: 'bg-accent/40', tools: 'bg-well' };
const END_LOOK = { refused: 'bg-bad', valid: 'bg-ok' };
const WAIT_LOOK = 'hatched';
const FIRST_LOOK = 'bg-accent-soft';

function Bar({ span, share }: { readonly span: TurnSpan; readonly share: number }): ReactNode {
  const { attempt, kind, phases, messageId } = span;
  const isOpen = kind === 'model' && phases === undefined;
  const text = describeSpan(span);
  return (
    <button
      type="button"
      title={text}
      data-key="t"
      aria-label={text}
      style={{ flexGrow: Math.max(share, 0.01) }}
      className={`flex min-w-4 basis-0 items-stretch overflow-hidden rounded-sm border ${isOpen ? 'border-dashed border-control' : kind === 'tools' ? 'border-control' : 'border-accent'}`}
      onClick={() => document.getElementById(`m${messageId}`)?.scrollIntoView({ block: 'center' })}
    >
      {phases !== undefined && (
        <>
          <Part look={WAIT_LOOK} ms={phases.queueMs} />
          <Part look={FIRST_LOOK} ms={phases.firstMs} />
        </>
      )}
      <Part look={isOpen ? '' : LOOK[kind]} ms={Math.max(1, phases?.replyMs ?? 1)} />
      {attempt !== undefined && (
        <span
          aria-hidden="true"
          className={`flex w-4 shrink-0 items-center justify-center text-sm font-semibold text-on-accent ${END_LOOK[attempt]}`}
        >
          {attempt === 'valid' ? '✓' : '×'}
        </span>
      )}
    </button>
  );
}

function Part({ look, ms }: { readonly look: string; readonly ms: number }): ReactNode {
  return <span className={look} style={{ flexGrow: ms, flexBasis: 0 }} />;
}

/** `attempt 1 refused, 1.3 s: 0.1 s in the queue, first token after 0.2 s`. */
function describeSpan({ kind, label, phases, startMs, endMs }: TurnSpan): string {
  const text = `${label}, ${duration(endMs - startMs)}`;
  if (kind === 'tools') return text;
  if (phases === undefined) return `${text}: queue and first token not recorded`;
  return `${text}: ${duration(phases.queueMs)} in the queue, first token after ${duration(phases.firstMs)}`;
}

function Legend({ spans }: { readonly spans: readonly TurnSpan[] }): ReactNode {
  const shown = [
    {
      look: `${WAIT_LOOK} border-control`,
      word: 'queue',
      isUsed: spans.some(({ phases }) => phases !== undefined),
    },
    {
      look: `${FIRST_LOOK} border-accent`,
      word: 'first token',
      isUsed: spans.some(({ phases }) => phases !== undefined),
    },
    {
      look: `${LOOK.model} border-accent`,
      word: 'model',
      isUsed: spans.some(({ phases }) => phases !== undefined),
    },
    {
      look: `${LOOK.tools} border-control`,
      word: 'tools',
      isUsed: spans.some(({ kind }) => kind === 'tools'),
    },
    {
      look: `${END_LOOK.refused} border-bad`,
      word: 'refused',
      isUsed: spans.some(({ attempt }) => attempt === 'refused'),
    },
    {
      look: `${END_LOOK.valid} border-ok`,
      word: 'valid',
      isUsed: spans.some(({ attempt }) => attempt === 'valid'),
    },
  ];
  return (
    <ul className="flex flex-wrap justify-end gap-x-3 text-xs text-muted">
      {shown.map(({ look, word, isUsed }) =>
        isUsed ? (
          <li key={word} className="flex items-center gap-1">
            <span className={`size-2.5 rounded-[2px] border ${look}`} aria-hidden="true" />
            {word}
          </li>
        ) : null,
      )}
    </ul>
  );
}
