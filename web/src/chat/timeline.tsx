/** Timeline of a turn: one axis with model time, tool time, and the end of each attempt. */
import type { ReactNode } from 'react';
import { duration } from '../parts/format.ts';
import { spansOf, type TurnSpan } from './turn-spans.ts';
import type { Turn } from './turns.ts';

const TICKS = 4;

/** Renders the bars. Each is a button that scrolls to its step. */
export function Timeline({ turn }: { readonly turn: Turn }): ReactNode {
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

const LOOK = {
  model: 'bg-accent-soft text-accent border-accent',
  tools: 'bg-sunken text-ink border-control',
  refused: 'bg-bad-soft text-bad border-bad',
  valid: 'bg-ok-soft text-ok border-ok',
};

function Bar({ span, share }: { readonly span: TurnSpan; readonly share: number }): ReactNode {
  const { attempt, kind, label, startMs, endMs, messageId } = span;
  const text = `${label}, ${duration(endMs - startMs)}`;
  return (
    <button
      type="button"
      title={text}
      data-key="t"
      aria-label={text}
      style={{ flexGrow: Math.max(share, 0.01) }}
      className={`flex min-w-3 basis-0 items-center justify-end overflow-hidden rounded-sm border px-1 text-sm font-semibold ${LOOK[attempt ?? kind]}`}
      onClick={() => document.getElementById(`m${messageId}`)?.scrollIntoView({ block: 'center' })}
    >
      <span aria-hidden="true">{attempt === 'valid' ? '✓' : attempt === 'refused' ? '×' : ''}</span>
    </button>
  );
}

function Legend({ spans }: { readonly spans: readonly TurnSpan[] }): ReactNode {
  const shown = [
    { look: LOOK.refused, word: 'refused', isUsed: spans.some(({ attempt }) => attempt === 'refused') },
    { look: LOOK.valid, word: 'valid', isUsed: spans.some(({ attempt }) => attempt === 'valid') },
    {
      look: LOOK.model,
      word: 'model',
      isUsed: spans.some(({ kind, attempt }) => kind === 'model' && attempt === undefined),
    },
    { look: LOOK.tools, word: 'tools', isUsed: spans.some(({ kind }) => kind === 'tools') },
  ];
  return (
    <ul className="flex gap-3 text-xs text-muted">
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
