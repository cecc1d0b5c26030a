/**
 * Copies of an agent's session while its turn continues, so that another machine can resume it after this one
 * is lost. Only for runs with `onCheckpoint`.
 */
import { stat } from 'node:fs/promises';
import type { WorkingContext } from '../context/run-context.ts';

const EVERY_MS = 60_000;

type CopyingContext = Pick<
  WorkingContext,
  'options' | 'progress' | 'workspace' | 'execution' | 'mask' | 'signal' | 'warn'
>;

/** Starts to copy the session each minute in which it has grown. Returns the function that stops it. */
export function copySessions(context: CopyingContext): () => Promise<void> {
  const { options, progress, workspace, execution } = context;
  if (execution === undefined || options.onCheckpoint === undefined) return () => Promise.resolve();
  let size = 0;
  let copying: Promise<void> | undefined;
  const copy = async (sessionId: string): Promise<void> => {
    // The agent can have written nothing yet. The copy after the turn warns.
    const path = await workspace.captureSession(sessionId, () => undefined);
    const copied = path === undefined ? 0 : ((await stat(path).catch(() => undefined))?.size ?? 0);
    if (path === undefined || copied <= size) return;
    size = copied;
    await execution.sessionCopied(context, path);
  };
  const timer = setInterval(() => {
    const { sessionId } = progress;
    if (sessionId === undefined || copying !== undefined) return;
    copying = copy(sessionId).finally(() => {
      copying = undefined;
    });
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await copying;
  };
}
