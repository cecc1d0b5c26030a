/** Modal dialog of the browser, and a sheet on narrow windows: focus moves into it, and back to the element that opened it. */
import { useEffect, useRef, type ReactNode } from 'react';

const BOX = 'm-auto mt-[min(12dvh,96px)] max-h-[calc(100dvh-128px)] overflow-y-auto';
const WIDTH = 'w-[min(560px,calc(100vw-32px))]';
const WIDE = 'w-[min(760px,calc(100vw-32px))]';
const SHEET = 'overflow-hidden mx-0 mt-auto mb-0 w-full max-w-none rounded-b-none';

interface DialogProps {
  readonly label: string;
  /** True for a sheet at the lower edge of the window. @default false */
  readonly isSheet?: boolean;
  /** @default false */
  readonly isWide?: boolean;
  readonly onClose: () => void;
  /** Called for Escape and for a click beside the dialog, which then stays open. @default it is closed */
  readonly onDismiss?: () => void;
  readonly children: ReactNode;
}

/** Renders the dialog, which is open while it is mounted. */
export function Dialog({
  label,
  isSheet = false,
  isWide = false,
  onClose,
  onDismiss,
  children,
}: DialogProps): ReactNode {
  const place = isSheet ? SHEET : `${BOX} ${isWide ? WIDE : WIDTH}`;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // An action of the dialog can remove its opener, such as the row of a deleted item.
      const next = opener?.isConnected === true ? opener : document.querySelector('#page h1');
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={`rounded-xl border border-edge bg-raised p-0 text-ink shadow-3 backdrop:bg-[rgb(0_0_0/0.45)] ${place}`}
      onClose={onClose}
      onCancel={(event) => {
        if (onDismiss === undefined) return;
        event.preventDefault();
        onDismiss();
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) (onDismiss ?? onClose)();
      }}
    >
      {children}
    </dialog>
  );
}

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
