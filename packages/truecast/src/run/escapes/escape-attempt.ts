/** Escape attempt: a shell script that a hostile guest runs, and the check of whether it worked. */
import type { MountConfig } from '../../ports/sandbox-provider.ts';
import type { EscapeBait } from './escape-bait.ts';

/** What a sandbox promises, as listed in SECURITY.md. */
export type SandboxPromise =
  | 'files'
  | 'secrets'
  | 'history'
  | 'code-on-host'
  | 'network'
  | 'processes'
  | 'budget';

/** `not-tried`: the sandbox lacks a program that the attempt needs, or does not promise to hold it. */
export type EscapeOutcome = 'held' | 'escaped' | 'not-tried';

/** One attempt of a guest to break out. */
export interface EscapeAttempt {
  /** Stable, in kebab-case. */
  readonly id: string;
  /** What the guest tries, as a verb phrase. */
  readonly title: string;
  readonly promise: SandboxPromise;
  /** Names of the sandboxes that promise to hold it. @default all sandboxes */
  readonly only?: readonly string[];
  /** Where the guest works. @default 'branch' */
  readonly strategy?: 'head' | 'branch' | 'merge-to-head';
  /** Prepares the bait before the guest starts. */
  readonly prepare?: (bait: EscapeBait) => Promise<void>;
  /** Mounts of the sandbox. One that does not support mounts ignores them. */
  readonly mounts?: (bait: EscapeBait) => readonly MountConfig[];
  /** POSIX shell. It prints `NOT-TRIED`, or `NOT-TRIED: <reason>`, if a program is missing. */
  readonly script: (bait: EscapeBait) => string;
  /** Returns true if the guest succeeded. `output` is the stdout of the script. */
  readonly escaped: (bait: EscapeBait, output: string) => boolean | Promise<boolean>;
}

export interface EscapeResult {
  readonly id: string;
  readonly title: string;
  readonly promise: SandboxPromise;
  readonly outcome: EscapeOutcome;
  /** Why it was not tried. */
  readonly reason?: string;
}
