/**
 * Types for the used parts of `@vercel/sandbox`. A type test compares them with the package's
 * types.
 */
import type { Writable } from 'node:stream';

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

export interface VercelSdk {
  readonly Sandbox: { create(params: object): Promise<VercelMachine> };
}
