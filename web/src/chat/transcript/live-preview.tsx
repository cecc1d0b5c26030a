/** Live preview: the end of the text that a model is writing. */
import { useState, type ReactNode } from 'react';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { PreviewPart } from '@truecast/client/internal/state/folded-chat';

/** Maximum length. More characters would slow down every frame. */
const SHOWN_CHARS = 20_000;

/** Renders the growing message. */
export function PreviewStep({ parts }: { readonly parts: readonly PreviewPart[] }): ReactNode {
  if (parts.length === 0) return <Working>Waiting for the model</Working>;
  return parts.map((part, index) => (
    // Parts of a growing message have no identity except their order.
    <Part key={index} part={part} />
  ));
}

function Part({ part: { kind, text, toolName } }: { readonly part: PreviewPart }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (kind === 'tool_call') {
    return (
      <Working>
        {toolName === FINALIZER_NAME ? 'Writing the answer' : `Calling ${toolName ?? 'a tool'}`}
      </Working>
    );
  }
  const isLong = text.length > SHOWN_CHARS && !isWhole;
  return (
    <div className={`px-4 ${kind === 'reasoning' ? 'text-muted' : ''}`}>
      {isLong && (
        <button className="text-sm text-accent underline" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
      <p className="break-words whitespace-pre-wrap">{isLong ? text.slice(-SHOWN_CHARS) : text}</p>
    </div>
  );
}

function Working({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <p className="flex items-center gap-2 px-4 text-muted">
      <span className="size-2 animate-pulse rounded-full bg-accent" aria-hidden="true" />
      {children} …
    </p>
  );
}
