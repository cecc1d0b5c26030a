/** Button of an action that cannot be undone. A click acts at once; a key requests a confirmation first. */
import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

interface ConfirmedButtonProps {
  /** Text of the button, and the one while the action runs. */
  readonly label: string;
  readonly busyLabel?: string;
  /** The key that presses it. */
  readonly press: string;
  /** Question of the dialog, and the consequence. */
  readonly question: string;
  readonly consequence: string;
  /** Texts of the dialog's buttons. */
  readonly confirm: string;
  readonly keep: string;
  readonly isBusy: boolean;
  /** @default false */
  readonly isPrimary?: boolean;
  readonly onConfirm: () => void;
}

export function ConfirmedButton(props: ConfirmedButtonProps): ReactNode {
  const { label, busyLabel = label, press, question, consequence, confirm, keep } = props;
  const { isBusy, isPrimary = false, onConfirm } = props;
  const [isConfirming, setConfirming] = useState(false);
  const act = (): void => {
    setConfirming(false);
    onConfirm();
  };
  return (
    <>
      <button
        type="button"
        className={isPrimary ? 'button button-primary' : 'button'}
        data-press={press}
        disabled={isBusy}
        // A key can be pressed by mistake. Its click has no pointer, so `detail` is 0.
        onClick={({ detail }) => (detail === 0 ? setConfirming(true) : act())}
      >
        {isBusy ? busyLabel : label}
      </button>
      {isConfirming && (
        <Dialog label={question} onClose={() => setConfirming(false)}>
          <div className="px-5 py-4">
            <h2 className="text-lg font-semibold">{question}</h2>
            <p className="mt-2 text-muted">{consequence}</p>
            <div className="mt-5 flex flex-wrap gap-2">
              <button type="button" className="button button-primary" disabled={isBusy} onClick={act}>
                {confirm}
              </button>
              <button type="button" className="button" onClick={() => setConfirming(false)}>
                {keep}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
