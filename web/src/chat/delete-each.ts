/** Deletion of several chats: a few requests at once, and an outcome for each chat. The request is a parameter. */

/** A browser opens six connections to a server, and the lists of the page need some of them. */
export const MAX_AT_ONCE = 4;
/** Effect of a deletion: the texts that the server erases, and the numbers that it keeps. */
export const ERASED =
  'Erases messages, values, receipts and schemas, with the files of the workspace. States, tokens and cost of the requests stay.';

/** Outcomes so far. A chat without an outcome was not deleted. */
export interface Deletion {
  /** Ids of chats that the server no longer has. */
  readonly deleted: readonly string[];
  /** Why a chat was not deleted, by its id. */
  readonly refused: ReadonlyMap<string, Error>;
}

interface DeleteOptions {
  readonly ids: readonly string[];
  readonly remove: (id: string) => Promise<void>;
  /** Called after each chat. */
  readonly onProgress: (deletion: Deletion) => void;
  /** An aborted signal starts no further request. Started ones end, so that their outcome is known. */
  readonly signal: AbortSignal;
}

/** Deletes the chats. Returns their outcomes, and never rejects. */
export async function deleteEach({ ids, remove, onProgress, signal }: DeleteOptions): Promise<Deletion> {
  const deleted: string[] = [];
  const refused = new Map<string, Error>();
  const outcomes = (): Deletion => ({ deleted: [...deleted], refused: new Map(refused) });
  // One iterator for all workers: each chat is taken once.
  const waiting = ids.values();
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      if (signal.aborted) return;
      try {
        await remove(id);
        deleted.push(id);
      } catch (error) {
        refused.set(id, error instanceof Error ? error : new Error(String(error)));
      }
      onProgress(outcomes());
    }
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  return outcomes();
}
