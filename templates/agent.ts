/** Who works, and where: the program beside this file uses these. */
import { bubblewrap, claudeCode } from 'truecast';

export const agent = claudeCode();

export const sandbox = bubblewrap();

/** How often the agent is told what is wrong with its answer, and asked again. */
export const maxRetries: number = 2;
