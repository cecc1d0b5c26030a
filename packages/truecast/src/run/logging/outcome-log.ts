/**
 * Outcome log: how answers were obtained, one line of JSON per answer or failure, without its
 * payload.
 */
import { join } from 'node:path';
import { outcomeLine, type OutcomeRecord } from '@truecast/core/internal/output/definition/outcome-line';
import { openChosenFile } from '../../support/open-chosen-file.ts';

export function outcomeLogPath(stateFolder: string): string {
  return join(stateFolder, 'outcomes.jsonl');
}

/** Appends one line. Many processes can append at the same time. */
export async function appendOutcome(path: string, outcome: OutcomeRecord): Promise<void> {
  await using file = await openChosenFile(path, 'append');
  await file.appendFile(`${outcomeLine(outcome)}\n`);
}
