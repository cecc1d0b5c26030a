/** Modal dialog of the browser: focus moves into it, and back to the element that opened it. */
import { useEffect, useRef, type ReactNode } from 'react';

interface DialogProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Renders the dialog as long as it is mounted. */
export function Dialog({ label, onClose, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className="panel m-auto mt-[12dvh] w-[min(560px,calc(100vw-32px))] overflow-hidden p-0 text-ink shadow-xl backdrop:bg-[rgb(0_0_0/0.45)]"
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
