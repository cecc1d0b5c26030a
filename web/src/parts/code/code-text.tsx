/** Sentence with names between backticks, which are shown as code. */
import type { ReactNode } from 'react';

/** Renders the sentence. */
export function CodeText({ text }: { readonly text: string }): ReactNode {
  return text.split('`').map((part, index) =>
    // Every second part was between backticks. Parts have no identity except their order.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}
