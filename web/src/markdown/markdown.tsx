/** Text of a model as Markdown. The parser is loaded with the first text; until then, it is plain text. */
import { lazy, memo, Suspense, useState, type ReactNode } from 'react';
import { countText } from '../parts/format.ts';

const MarkdownElements = lazy(() =>
  import('./markdown-elements.tsx').then(({ MarkdownElements: elements }) => ({ default: elements })),
);

/** Renders the text. A page renders many times during a turn, and each text is parsed once. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }): ReactNode {
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <MarkdownElements text={text} />
    </Suspense>
  );
});

/** More text is laid out on request. */
const SHOWN_CHARS = 20_000;

/** Renders the text as it was written. */
export function PlainText({ text }: { readonly text: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > SHOWN_CHARS && !isWhole;
  return (
    <>
      <p className="break-words whitespace-pre-wrap">{isCut ? text.slice(0, SHOWN_CHARS) : text}</p>
      {isCut && (
        <button className="button mt-2" onClick={() => setWhole(true)}>
          Show {countText(text.length - SHOWN_CHARS)} more characters
        </button>
      )}
    </>
  );
}
