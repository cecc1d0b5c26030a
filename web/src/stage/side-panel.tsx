/** Side panel of the stage: next to the lines, or in a sheet on narrow screens. */
import { useState, type ReactNode } from 'react';
import { Sheet } from '../parts/sheet.tsx';
import { useIsNarrow } from '../parts/use-is-narrow.ts';

/** Renders the panel, or the button that opens it. */
export function SidePanel({ children }: { readonly children: ReactNode }): ReactNode {
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  if (!isNarrow) return <div className="min-w-0 lg:sticky lg:top-6 lg:self-start">{children}</div>;
  return (
    <>
      <button className="button w-full" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Event and cast <span aria-hidden="true">▴</span>
      </button>
      {isOpen && (
        <Sheet label="Event and cast" onClose={() => setOpen(false)}>
          {children}
        </Sheet>
      )}
    </>
  );
}
