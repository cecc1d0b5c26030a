/** Owns the record of how answers were got: one line of JSON for each answer or failure, without its payload. */
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outcomeLine, type Outcome } from '../../output/outcome.ts';

/** Returns the path of the record under `.truecast/`. */
export function outcomeLogPath(truecastFolder: string): string {
  return join(truecastFolder, 'outcomes.jsonl');
}

/** Appends one line; many processes may do so at once. */
export async function appendOutcome(path: string, outcome: Outcome): Promise<void> {
  const line = `${outcomeLine(outcome)}\n`;
  try {
    await appendFile(path, line);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, line);
  }
}
