/**
 * Secret masking in a byte stream. Replaces secrets with asterisks of the same length, and holds
 * back only bytes that can begin a secret.
 */
import { Transform } from 'node:stream';

const ASTERISK = 0x2a;

export interface ByteMask {
  /** Returns masked bytes. A tail that can begin a secret is held for the next chunk. */
  push(bytes: Buffer): Buffer;
  /** Returns the held bytes. */
  end(): Buffer;
}

/** Creates a mask for these forms. The length of the stream does not change. */
export function createByteMask(forms: readonly Buffer[]): ByteMask {
  // A form can be part of another one. Both are searched for in the bytes before any masking.
  let held: Buffer = Buffer.alloc(0);
  let heldMasked: Buffer = held;
  return {
    push(bytes) {
      const all = Buffer.concat([held, bytes]);
      const masked = Buffer.concat([heldMasked, bytes]);
      for (const form of forms) maskAll(all, form, masked);
      const kept = Math.max(0, ...forms.map((form) => beginningAtEnd(all, form)));
      held = Buffer.from(all.subarray(all.length - kept));
      heldMasked = Buffer.from(masked.subarray(all.length - kept));
      return masked.subarray(0, all.length - kept);
    },
    end() {
      const rest = heldMasked;
      held = Buffer.alloc(0);
      heldMasked = held;
      return rest;
    },
  };
}

export function maskText(text: string, forms: readonly Buffer[]): string {
  const mask = createByteMask(forms);
  return Buffer.concat([mask.push(Buffer.from(text)), mask.end()]).toString();
}

export function createMaskStream(forms: readonly Buffer[]): Transform {
  const mask = createByteMask(forms);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, mask.push(chunk));
    },
    flush(done) {
      done(null, mask.end());
    },
  });
}

function maskAll(bytes: Buffer, form: Buffer, masked: Buffer): void {
  for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at + 1)) {
    masked.fill(ASTERISK, at, at + form.length);
  }
}

/** Returns the number of trailing bytes that are the beginning of a form. */
function beginningAtEnd(bytes: Buffer, form: Buffer): number {
  const first = form[0] ?? 0;
  const from = Math.max(0, bytes.length - form.length + 1);
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    const length = bytes.length - at;
    if (bytes.compare(form, 0, length, at) === 0) return length;
  }
  return 0;
}
