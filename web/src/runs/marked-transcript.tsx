/** Text of an agent with each attempt at the answer marked, and the characters of the selected field. */
import { useEffect, useRef, useState, type ReactNode, type MouseEvent } from 'react';
import type { RunAttempt } from '@truecast/client/internal/wire/kept-run';
import { countText } from '../parts/format.ts';
import type { JsonSpan } from '../json/json-positions.ts';
import { fieldAtSelection } from '../value/source-text.tsx';
import { rejectedCandidates, transcriptPieces, type Piece } from './rejected-candidates.ts';

interface TranscriptProps {
  readonly transcript: { readonly text: string; readonly omitted_chars: number };
  readonly attempts: readonly RunAttempt[];
  /** Name of the answer's tag. Undefined if the answer did not come as text. */
  readonly tag: string | undefined;
  /** Number of the attempt to show. Empty without one. */
  readonly attempt: string;
  /** Fields of the accepted answer. */
  readonly positions: ReadonlyMap<string, JsonSpan>;
  readonly field: string;
  readonly onShow: (pointer: string) => void;
}

/** Renders the text. Long parts without a mark are hidden until they are requested. */
export function MarkedTranscript(props: TranscriptProps): ReactNode {
  const { transcript, attempts, tag, attempt: shown, positions, field } = props;
  const { text, omitted_chars: omitted } = transcript;
  const box = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<readonly number[]>([]);
  const selected = field === '' ? undefined : positions.get(field);
  useEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const behavior = still ? 'auto' : 'smooth';
    const selector = field === '' ? `#attempt-${CSS.escape(shown)}` : '[data-selected]';
    box.current?.querySelector(selector)?.scrollIntoView({ block: 'center', behavior });
  }, [field, shown]);
  return (
    <section aria-label="Transcript">
      <h2 className="sr-only">Transcript</h2>
      {attempts.some(({ span }) => span !== undefined) && (
        <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
          <AttemptLinks attempts={attempts} />
        </div>
      )}
      {omitted > 0 && (
        <p className="mb-2 text-sm text-muted">The first {countText(omitted)} characters were not kept.</p>
      )}
      {text === '' && <p className="text-muted">The agent wrote no text.</p>}
      <div className="flex items-start gap-2">
        <div
          ref={box}
          className="panel min-w-0 flex-1 overflow-hidden bg-well p-4 font-mono text-code leading-[1.6] break-words whitespace-pre-wrap empty:hidden"
        >
          {transcriptPieces(text.length, attempts, rejectedCandidates(text, tag, attempts)).map((piece) => {
            const { start, end, attempt, reason, isHidden } = piece;
            if (attempt !== undefined) {
              return <Mark key={start} {...props} piece={piece} number={attempt} selected={selected} />;
            }
            if (reason !== undefined) {
              return <Rejected key={start} text={text.slice(start, end)} reason={reason} />;
            }
            if (isHidden !== true || opened.includes(start)) return text.slice(start, end);
            return (
              <button
                key={start}
                className="button my-3 flex w-full font-sans"
                onClick={() => setOpened([...opened, start])}
              >
                Show {countText(end - start)} more characters
              </button>
            );
          })}
        </div>
        <TranscriptMap length={text.length} attempts={attempts} />
      </div>
    </section>
  );
}

/** Text that looked like the answer. */
function Rejected({ text, reason }: { readonly text: string; readonly reason: string }): ReactNode {
  return (
    <>
      <mark className="rounded-sm bg-transparent py-px text-ink underline decoration-muted decoration-dashed decoration-2 underline-offset-3">
        {text}
      </mark>
      <span className="mx-1 font-sans text-sm text-muted">not taken: {reason}</span>
    </>
  );
}

/** Renders one link per attempt with a position in the text. */
function AttemptLinks({ attempts }: { readonly attempts: readonly RunAttempt[] }): ReactNode {
  return attempts.map(({ code, span }, index) =>
    span === undefined ? null : (
      // Attempts have no identity except their order.
      <a
        key={index}
        href={`#attempt-${index + 1}`}
        className={`text-sm underline ${code === 'ok' ? 'text-ok' : 'text-bad'}`}
      >
        {code === 'ok' ? '✓' : '×'} attempt {index + 1}
      </a>
    ),
  );
}

interface MarkProps extends TranscriptProps {
  readonly piece: Piece;
  readonly number: number;
  readonly selected: JsonSpan | undefined;
}

function Mark({ transcript, attempts, positions, onShow, piece, number, selected }: MarkProps): ReactNode {
  const { code, message } = attempts[number] ?? { code: '', message: '' };
  const isValid = code === 'ok';
  const { start, end } = piece;
  const inner = isValid && selected !== undefined ? selected : undefined;
  const cut = (from: number, to: number): string => transcript.text.slice(from, to);
  const select = (): void => {
    const pointer = isValid ? fieldAtSelection(positions) : undefined;
    if (pointer !== undefined && pointer !== '') onShow(pointer);
  };
  return (
    <>
      <mark
        id={`attempt-${number + 1}`}
        className={`scroll-mt-24 rounded-sm py-px text-ink underline decoration-2 underline-offset-3 ${isValid ? 'cursor-pointer bg-ok-soft decoration-ok' : 'bg-bad-soft decoration-bad'}`}
        onClick={select}
      >
        <span data-from={start}>{cut(start, inner?.from ?? end)}</span>
        {inner !== undefined && (
          <>
            <span data-from={inner.from} data-selected="" className="bg-accent text-on-accent">
              {cut(inner.from, inner.end)}
            </span>
            <span data-from={inner.end}>{cut(inner.end, end)}</span>
          </>
        )}
      </mark>
      <span className={`mx-1 font-sans text-sm ${isValid ? 'text-ok' : 'text-bad'}`}>
        {isValid ? `✓ attempt ${number + 1}, valid` : `× attempt ${number + 1}: ${message}`}
      </span>
    </>
  );
}

/** Minimum length. A shorter text fits on a screen. */
const MIN_CHARS = 4_000;

interface MapProps {
  readonly length: number;
  readonly attempts: readonly RunAttempt[];
}

/** Renders the map. The links above the transcript lead to the same attempts. */
function TranscriptMap({ length, attempts }: MapProps): ReactNode {
  const marks = attempts.flatMap(({ code, span }, index) =>
    span === undefined ? [] : [{ number: index + 1, isValid: code === 'ok', share: span.start / length }],
  );
  if (length < MIN_CHARS || marks.length === 0) return null;
  const onClick = ({ clientY, currentTarget }: MouseEvent): void => {
    const { top, height } = currentTarget.getBoundingClientRect();
    const at = (clientY - top) / height;
    const [closest] = marks.toSorted((a, b) => Math.abs(a.share - at) - Math.abs(b.share - at));
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const behavior = still ? 'auto' : 'smooth';
    document.querySelector(`#attempt-${closest?.number}`)?.scrollIntoView({ block: 'center', behavior });
  };
  return (
    <div
      aria-hidden="true"
      data-map=""
      className="panel sticky top-19 hidden h-[min(480px,calc(100dvh-96px))] w-4 shrink-0 cursor-pointer bg-well @4xl:block"
      onClick={onClick}
    >
      {marks.map(({ number, isValid, share }) => (
        <span
          key={number}
          className={`absolute inset-x-0 -translate-y-1/2 text-center text-xs leading-none font-semibold ${isValid ? 'text-ok' : 'text-bad'}`}
          style={{ top: `${Math.min(98, Math.max(2, share * 100))}%` }}
        >
          {isValid ? '✓' : '×'}
        </span>
      ))}
    </div>
  );
}
