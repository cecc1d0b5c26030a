/** Editor of a schema: the text with its lines, and each problem at its line. */
import { useRef, type ReactNode, type Ref, memo } from 'react';
import { CompletionOptions, optionId, OPTIONS_ID } from './completion-options.tsx';
import { MarkList } from './mark-list.tsx';
import type { ReportMark } from './schema-report.ts';
import { useCompletion } from './use-completion.ts';
import { JSON_LOOKS, jsonPieces } from '../json/json-colours.ts';

interface EditorProps {
  readonly text: string;
  readonly marks: readonly ReportMark[];
  readonly onChange: (text: string) => void;
}

const MARKS_ID = 'schema-problems';
const LINE_PX = 19;
const MIN_LINES = 10;

/** Renders the editor. `Tab` leaves it. */
export function SchemaEditor({ text, marks, onChange }: EditorProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const layer = useRef<HTMLPreElement>(null);
  const list = useCompletion(field, text, onChange);
  const { completion, chosen } = list;
  const count = Math.max(MIN_LINES, text.split('\n').length);
  const problems = marks.filter(({ isProblem }) => isProblem);
  const select = (line: number): void => selectLine(field.current, text, line);
  return (
    <>
      <div className="relative" data-editor="">
        <div
          className="grid max-h-[60dvh] grid-cols-[auto_minmax(0,1fr)] overflow-y-auto rounded-sm border border-control bg-page font-mono text-code focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent"
          style={{ lineHeight: `${LINE_PX}px` }}
        >
          <Gutter count={count} marks={marks} />
          <div className="relative min-w-0 overflow-hidden">
            <Layer ref={layer} text={text} />
            <textarea
              ref={field}
              id="schema"
              wrap="off"
              spellCheck={false}
              className="relative block w-full resize-none overflow-x-auto overflow-y-hidden bg-transparent px-3 py-2 whitespace-pre caret-ink outline-none [-webkit-text-fill-color:transparent] selection:[-webkit-text-fill-color:var(--color-on-accent)]"
              style={{ height: count * LINE_PX + 32, lineHeight: `${LINE_PX}px` }}
              value={text}
              aria-invalid={problems.length > 0}
              aria-describedby={problems.length > 0 ? MARKS_ID : undefined}
              aria-autocomplete="list"
              aria-controls={completion && OPTIONS_ID}
              aria-activedescendant={completion && optionId(chosen)}
              onChange={({ target }) => list.onType(target.value)}
              onKeyDown={list.onKeyDown}
              onBlur={list.close}
              onClick={list.close}
              onScroll={({ currentTarget }) => {
                // The layer has no scroll position itself.
                if (layer.current !== null) layer.current.style.translate = `${-currentTarget.scrollLeft}px`;
              }}
            />
          </div>
        </div>
        <CompletionOptions list={list} text={text} linePx={LINE_PX} />
      </div>
      <MarkList id={MARKS_ID} marks={marks} onSelect={select} />
    </>
  );
}

interface LayerProps {
  readonly ref: Ref<HTMLPreElement>;
  readonly text: string;
}

/** The text with colours. The field above it draws no letters. */
function Layer({ ref, text }: LayerProps): ReactNode {
  return (
    <pre
      ref={ref}
      aria-hidden="true"
      className="pointer-events-none absolute top-0 left-0 px-3 py-2 font-mono text-code"
      style={{ lineHeight: `${LINE_PX}px` }}
    >
      <ColouredJson text={text} />
    </pre>
  );
}

function selectLine(field: HTMLTextAreaElement | null, text: string, line: number): void {
  const before = text
    .split('\n')
    .slice(0, line - 1)
    .join('\n');
  const start = before.length + (line > 1 ? 1 : 0);
  const end = text.indexOf('\n', start);
  field?.focus();
  field?.setSelectionRange(start, end === -1 ? text.length : end);
}

interface GutterProps {
  readonly count: number;
  readonly marks: readonly ReportMark[];
}

/** Numbers of the lines. A sign marks a line with a problem or a loss. */
function Gutter({ count, marks }: GutterProps): ReactNode {
  return (
    <div aria-hidden="true" className="border-r border-line bg-well py-2 text-right text-muted select-none">
      {Array.from({ length: count }, (_none, index) => {
        const own = marks.filter(({ line }) => line === index + 1);
        const isBad = own.some(({ isProblem }) => isProblem);
        const look = isBad ? 'bg-bad-soft text-bad' : own.length > 0 ? 'bg-warn-soft text-warn' : '';
        return (
          // Lines have no identity except their number.
          <div key={index} className={`px-2 ${look}`} title={own.map((mark) => mark.text).join('\n')}>
            {index + 1}
            <span className="inline-block w-3">{isBad ? '×' : own.length > 0 ? '▲' : ''}</span>
          </div>
        );
      })}
    </div>
  );
}

/** A longer text has no colours, so that typing stays fast. */
const MAX_CHARS = 50_000;

/** Renders the text. Readers of the page hear the field above it. */
const ColouredJson = memo(function ColouredJson({ text }: { readonly text: string }): ReactNode {
  if (text.length > MAX_CHARS) return text;
  return jsonPieces(text).map(({ kind, text: piece }, index) => (
    // Pieces have no identity beside their place.
    <span key={index} className={JSON_LOOKS[kind]}>
      {piece}
    </span>
  ));
});
