/** Agent and sandbox of the program in this folder. */
import { bubblewrap, claudeCode } from 'truecast';

export const agent = claudeCode();

export const sandbox = bubblewrap();

/**
 * Number of corrections: each reports the validation error to the agent and requests a new answer.
 */
export const maxCorrections: number = 2;
