/** Owns what of `@vercel/sandbox` is used; a type test holds it against the package's own types. */
import type { Writable } from 'node:stream';

/** What of the SDK's machine is used. */
export interface VercelMachine {
  runCommand(params: {
    cmd: string;
    args: string[];
    sudo: boolean;
    stdout: Writable;
    stderr: Writable;
  }): Promise<{ readonly exitCode: number }>;
  writeFiles(files: { path: string; content: Uint8Array; mode?: number }[]): Promise<void>;
  downloadFile(
    source: { path: string },
    target: { path: string },
    options: { mkdirRecursive: boolean },
  ): Promise<string | null>;
  stop(): Promise<unknown>;
}

/** What of the SDK is used. */
export interface VercelSdk {
  readonly Sandbox: { create(params: object): Promise<VercelMachine> };
}
