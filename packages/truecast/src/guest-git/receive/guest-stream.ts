/**
 * Byte stream of a script that runs inside a sandbox: the only way in which the host receives
 * anything from a guest's store.
 */
import type { Readable } from 'node:stream';

/** A running script. Its stdout is read by the caller, at the caller's pace. */
export interface GuestStream {
  readonly stdout: Readable;
  /** Resolves when the script has ended. Never rejects. */
  readonly ended: Promise<GuestStreamEnd>;
  /**
   * True if the sandbox waits for the script's end when it is closed. A complete stream is then used
   * while the script's processes exit. @default false
   */
  readonly isEndedAtClose?: boolean;
  /** Kills the script and all its child processes. */
  kill(): void;
}

/** Result of a script. */
export interface GuestStreamEnd {
  readonly exitCode: number;
  /** The last 2,000 characters. */
  readonly stderrTail: string;
}

/** Starts a shell script inside, without network or agent. */
export type OpenGuestStream = (script: string) => Promise<GuestStream>;
