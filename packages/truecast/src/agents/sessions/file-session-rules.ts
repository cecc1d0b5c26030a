/**
 * Rules of a CLI that stores each session in a file: where the files are, and which lines name
 * directories.
 */
import type { HostSessionLookup } from '../../ports/agent-sessions.ts';
import type { SandboxFiles } from './sandbox-files.ts';
import type { LineRewriter } from './session-lines.ts';

/** Location of a session's file in its store. */
export interface SessionFile {
  readonly id: string;
  /** The agent's working directory, on the same side as the file: the host or the sandbox. */
  readonly cwd: string;
  /** Path or name of the file, as `fileOf` returns it. */
  readonly file: string;
}

/** The copy of a session out of a sandbox. */
export interface CapturedFile {
  readonly sandbox: SandboxFiles;
  /** Path in the sandbox. */
  readonly source: string;
  /** Path on the host. */
  readonly target: string;
  /** Maps the directories of a line. */
  rewrite(line: string): string;
  /** Tells which part could not be copied. */
  warn(message: string): void;
}

export interface FileSessionRules {
  readonly isBoundToDirectory?: boolean;
  /** Root of the store on the host. */
  root(): string;
  /** Shell expression of the root in the sandbox, which can use `envNames`. */
  readonly sandboxRoot: string;
  /** Variables of the agent's environment that change the root. */
  readonly envNames: readonly string[];
  /** Shell script that lists candidates in the sandbox, newest first. */
  list(id: string): string;
  /** Returns the file of a candidate's path. Undefined if the path belongs to another session. */
  fileOf(path: string, id: string): string | undefined;
  /** Finds a session on the host, whatever its working directory. */
  find(id: string, root: string): Promise<HostSessionLookup>;
  /** Returns the path for a captured session on the host. */
  hostPath(session: SessionFile, root: string): Promise<string>;
  /** Returns the path of a session on the host before its capture. @default unknown */
  knownPath?(id: string, cwd: string, root: string): string;
  /** Returns the path that takes precedence over `find`. Creates nothing. @default none */
  preferredPath?(session: SessionFile, root: string): Promise<string | undefined>;
  /** Returns the path in the sandbox, as a shell word. */
  sandboxPath(session: SessionFile): string;
  /** Maps the directories of a line. @default lines are unchanged */
  readonly rewriteLine?: LineRewriter;
  /** Returns the working directory in a line that contains one. */
  readonly cwdOf?: (line: Readonly<Record<string, unknown>>) => unknown;
  /** Returns the id of the session that this one refers to, which is copied too. */
  parentOf?(jsonl: string): string | undefined;
  /** Receives each session that is read on the host. */
  onRead?(id: string, jsonl: string): void;
  /** Copies further files of a captured session. @default nothing */
  captureBeside?(copy: CapturedFile): Promise<void>;
  /**
   * Copies further files of a resumed session. `source` is its path on the host. @default nothing
   */
  resumeBeside?(
    session: SessionFile,
    source: string,
    write: (path: string, jsonl: string) => Promise<void>,
  ): Promise<void>;
}
