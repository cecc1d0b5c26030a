/** Code block of a model's Markdown, with a button that copies it. */
import type { ReactNode } from 'react';
import { CopyButton } from '../parts/code/copy-button.tsx';
import { safeText } from './safe-text.ts';

interface CodeProps {
  readonly text: string;
  /** As the model names it. Empty without a name. */
  readonly language: string;
}

/** Renders the block. The copied text is the shown one. */
export function CodeBlock({ text, language }: CodeProps): ReactNode {
  const code = safeText(text);
  const name = safeText(language).slice(0, 40);
  return (
    <div className="overflow-hidden rounded-md border border-line bg-sunken">
      <div className="flex items-center justify-between border-b border-line pr-1 pl-3 text-sm text-muted">
        <span>{name === '' ? 'Code' : name}</span>
        <CopyButton text={code} />
      </div>
      <pre
        className="max-h-[420px] overflow-auto p-3"
        tabIndex={0}
        role="group"
        aria-label={name === '' ? 'Code' : `Code, ${name}`}
      >
        <code>{code}</code>
      </pre>
    </div>
  );
}
