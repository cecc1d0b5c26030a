/** Folded part: its content is rendered at the first opening, and then kept. */
import { useState, type ReactNode } from 'react';

interface FoldedProps {
  /** A `<summary>`. */
  readonly summary: ReactNode;
  /** @default closed at first */
  readonly isOpen?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Renders `<details>`. The fields of all operations are 25,000 elements, of which a reader opens few. */
export function Folded({ summary, isOpen = false, className, children }: FoldedProps): ReactNode {
  const [wasOpen, setWasOpen] = useState(isOpen);
  return (
    <details className={className} open={isOpen} onToggle={() => setWasOpen(true)}>
      {summary}
      {wasOpen && children}
    </details>
  );
}
