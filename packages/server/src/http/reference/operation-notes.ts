/** Notes of each operation for the API reference: its group, its purpose, examples and problems. */
import { ACCOUNT_NOTES } from './account-notes.ts';
import { CHAT_NOTES } from './chat-notes.ts';
import { ENSEMBLE_NOTES } from './ensemble-notes.ts';
import { OPENAI_NOTES } from './openai-notes.ts';
import type { OperationNotes } from './operation-note.ts';
import { PROJECT_NOTES } from './project-notes.ts';

/** Notes by operation id. */
const NOTES: Readonly<Record<string, OperationNotes>> = {
  ...CHAT_NOTES,
  ...PROJECT_NOTES,
  ...ENSEMBLE_NOTES,
  ...ACCOUNT_NOTES,
  ...OPENAI_NOTES,
};

/** Returns the notes of an operation. Undefined if it has none. */
export function notesOf(operationId: string): OperationNotes | undefined {
  return NOTES[operationId];
}
