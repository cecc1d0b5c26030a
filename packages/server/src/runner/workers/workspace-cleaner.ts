/**
 * Garbage collector for workspaces of deleted chats. It compares folders with chats, so a crash or
 * another process leaves none behind.
 */
import { scheduleWork } from '@truecast/store/internal/queue/schedule-work';
import type { ChatMachine } from '../../state/chat-machine.ts';
import type { WorkspaceProvider } from '../../tools/workspace.ts';
import type { RunnerEvent } from '../turn-ports.ts';

export interface WorkspaceCleanerOptions {
  readonly machine: Pick<ChatMachine, 'deletedChats'>;
  readonly workspaces: Pick<WorkspaceProvider, 'list' | 'remove'>;
  readonly onEvent?: (event: RunnerEvent) => void;
}

const EVERY_MS = 60_000;

/**
 * Starts the cleaner of this process: a pass at once, then every minute. Its end waits for the
 * current pass.
 *
 * Each process cleans the workspaces on its own machine. A turn that was running when its chat was
 * deleted has one lease time to end. Files it creates later are found by the next pass.
 */
export function startWorkspaceCleaner(options: WorkspaceCleanerOptions): {
  close(): Promise<void>;
} {
  return { close: scheduleWork(EVERY_MS, () => removeDeleted(options)) };
}

/** Never rejects: the next pass retries. */
async function removeDeleted({ machine, workspaces, onEvent }: WorkspaceCleanerOptions): Promise<void> {
  try {
    for (const chatId of await machine.deletedChats(await workspaces.list())) {
      await workspaces.remove(chatId).catch((cause: unknown) => {
        onEvent?.({
          level: 'warn',
          message: 'Could not remove the workspace of a deleted chat. The next sweep tries again.',
          chatId,
          cause,
        });
      });
    }
  } catch (cause) {
    onEvent?.({
      level: 'warn',
      message: 'Could not list the workspaces of deleted chats. The next sweep tries again.',
      cause,
    });
  }
}
