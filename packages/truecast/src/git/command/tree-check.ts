/** Check of merged files before they land: what it gets, and its verdict. */
import type { OutputCheckContext } from '@truecast/core/internal/output/definition/definition';

/** Services for a check of a commit. */
export interface TreeCheckContext extends OutputCheckContext {
  /** Folder in which `exec` runs, as the sandbox names it. */
  readonly cwd: string;
  exec(
    command: string,
    options?: { readonly stdin?: string; readonly signal?: AbortSignal },
  ): ReturnType<OutputCheckContext['exec']>;
}

/** Returns undefined to accept the merged files, or the reason why they must not land. */
export type TreeCheck = (context: TreeCheckContext) => Promise<string | undefined> | string | undefined;
