/** Text that an agent wrote, with colours of code, marked words and visible control characters. */
import type { ReactNode } from 'react';
import { codeTokens } from '../parts/code/code-colours.tsx';
import type { LinePart } from './diff-rows.ts';

/** Characters that are not seen, or that change the order of others. Not a tab. */
const UNSEEN = /((?!\t)[\p{Cc}\p{Bidi_C}\u{200B}-\u{200D}\u{2060}\u{FEFF}])/u;
const CODE_FILES =
  /\.(?:[cm]?[jt]sx?|json|py|rs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|ya?ml|toml|css|scss|sql)$/iu;

interface LineTextProps {
  readonly text: string;
  /** True for the text of a program. @default false */
  readonly isCode?: boolean;
  readonly mark?: LinePart | undefined;
}

export function isCodeFile(path: string): boolean {
  return CODE_FILES.test(path);
}

/** Renders the text in the order of its characters. */
export function LineText({ text, isCode = false, mark }: LineTextProps): ReactNode {
  const tokens = isCode ? codeTokens(text) : [];
  const borders = [0, text.length, ...tokens.flatMap(({ start, end }) => [start, end])];
  if (mark !== undefined) borders.push(mark.start, mark.end);
  const sorted = [...new Set(borders)].toSorted((one, other) => one - other);
  return sorted.slice(0, -1).map((start, index) => {
    const look = tokens.find((token) => token.start <= start && start < token.end)?.look;
    const shown = <Visible text={text.slice(start, sorted[index + 1])} />;
    if (mark !== undefined && mark.start <= start && start < mark.end) {
      return (
        <mark key={start} className={look}>
          {shown}
        </mark>
      );
    }
    return (
      <span key={start} className={look}>
        {shown}
      </span>
    );
  });
}

/** Names each control character instead of sending it to the page. */
function Visible({ text }: { readonly text: string }): ReactNode {
  if (!UNSEEN.test(text)) return text;
  // Each second part is such a character.
  return text.split(UNSEEN).map((part, index) =>
    index % 2 === 1 ? (
      <span key={index} className="rounded-sm bg-warn-soft px-0.5 text-2xs text-warn">
        {`U+${(part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`}
      </span>
    ) : (
      part
    ),
  );
}
