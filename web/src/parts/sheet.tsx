/** Sheet at the lower edge of a narrow window: a side panel, with a button that closes it. */
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

interface SheetProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Renders the sheet, which is open while it is mounted. */
export function Sheet({ label, onClose, children }: SheetProps): ReactNode {
  return (
    <Dialog label={label} isSheet onClose={onClose}>
      <div className="max-h-[80dvh] overflow-y-auto p-4">
        {children}
        <button className="button mt-4 w-full" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
