/** Owns removing the workspaces of chats that were deleted: found by what is there, so that no crash and no other process leaves one behind. */
import type { ChatMachine } from '../state/chat-machine.ts';
import type { WorkspaceProvider } from '../tools/workspace.ts';
import type { RunnerEvent } from './turn-ports.ts';

/** What the cleaner works with. */
export interface WorkspaceCleanerOptions {
  readonly machine: Pick<ChatMachine, 'deletedChats'>;
  readonly workspaces: Pick<WorkspaceProvider, 'list' | 'remove'>;
  /** Milliseconds between two looks. @default 60_000 */
  readonly everyMs?: number;
  readonly onEvent?: (event: RunnerEvent) => void;
}

/** A cleaner of the workspaces of this process. */
export interface WorkspaceCleaner {
  /** Resolves once the look under way has ended. */
  close(): Promise<void>;
}

const DEFAULT_EVERY_MS = 60_000;

/**
 * Starts to look, at once and then every minute.
 *
 * Each process looks at its own workspaces: those of other machines are theirs to remove. A turn that was under way when its chat was deleted has
 * the time of a lease to end; what it makes after its workspace went is found by the next look.
 */
export function startWorkspaceCleaner(options: WorkspaceCleanerOptions): WorkspaceCleaner {
  let looking: Promise<void> | undefined;
  const look = (): void => {
    looking ??= removeDeleted(options).finally(() => {
      looking = undefined;
    });
  };
  look();
  const timer = setInterval(look, options.everyMs ?? DEFAULT_EVERY_MS).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Never rejects: what cannot be removed now is found again. */
async function removeDeleted({ machine, workspaces, onEvent }: WorkspaceCleanerOptions): Promise<void> {
  try {
    for (const chatId of await machine.deletedChats(await workspaces.list())) {
      await workspaces.remove(chatId).catch((cause: unknown) => {
        onEvent?.({
          level: 'warn',
          message: 'The workspace of a deleted chat is still there.',
          chatId,
          cause,
        });
      });
    }
  } catch (cause) {
    onEvent?.({ level: 'warn', message: 'Workspaces of deleted chats could not be looked for.', cause });
  }
}
