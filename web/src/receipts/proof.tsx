/** Proof of a value: the hash of its receipt, computed again in this browser. */
import { useState, type ReactNode } from 'react';
import type { Receipt } from '@truecast/client';
import { describeRepair } from '../value/describe-attempt.ts';

/** Hashes the value in this browser, and compares it with the receipt's hash. */
export function Proof({
  receipt: { value_text, value_hash, attempts, numbers_exact },
}: {
  readonly receipt: Receipt;
}): ReactNode {
  const [result, setResult] = useState<boolean>();
  if (value_text === undefined || value_hash === undefined) return null;
  const verify = async (): Promise<void> => {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value_text));
    setResult(toHex(digest) === value_hash);
  };
  const repairs = attempts.at(-1)?.repairs ?? [];
  return (
    <section aria-label="Proof">
      <h2 className="mb-2 font-semibold">Proof</h2>
      <div className="panel px-4 py-3">
        <p className="caption">SHA-256 of the value</p>
        <code className="mt-1 block break-all">{value_hash}</code>
        <div className="mt-3 flex flex-wrap items-center gap-3">
          {isSecureContext ? (
            <button className="button" data-action="Verify the value" onClick={() => void verify()}>
              Verify
            </button>
          ) : (
            <span className="text-sm text-muted">
              Browsers can verify a hash only over HTTPS or on localhost.
            </span>
          )}
          <span role="status">
            {result === true && <span className="text-ok">✓ The value matches its hash.</span>}
            {result === false && <span className="text-bad">× The value does not match its hash.</span>}
          </span>
        </div>
        {[...repairs.map(describeRepair), ...(numbers_exact === false ? [ROUNDED] : [])].map((note) => (
          <p key={note} className="mt-2 text-sm text-muted">
            {note}
          </p>
        ))}
      </div>
    </section>
  );
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const ROUNDED = "The provider's adapter can have rounded large numbers.";
