/** Text panel: code or another verbatim text, which scrolls by keyboard too. */
import type { ReactNode } from 'react';
import { ColouredCode } from './code-colours.tsx';

interface TextPanelProps {
  readonly text: string;
  readonly label: string;
  /** True breaks long lines. @default false: they scroll */
  readonly wraps?: boolean;
  /** True for a program, which has colours. @default false */
  readonly isCode?: boolean;
}

/** Renders the text. A group with a label, so that its focus is announced. */
export function TextPanel({ text, label, wraps = false, isCode = false }: TextPanelProps): ReactNode {
  return (
    <pre
      className={`panel max-h-[420px] overflow-auto bg-well! p-4 ${wraps ? 'break-words whitespace-pre-wrap' : ''}`}
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      {isCode ? <ColouredCode text={text} /> : text}
    </pre>
  );
}

/** Renders the sentence. */
export function CodeText({ text }: { readonly text: string }): ReactNode {
  return text.split('`').map((part, index) =>
    // Every second part was between backticks. Parts have no identity except their order.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}
