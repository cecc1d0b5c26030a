/** Program in one language. Types only. */

export interface CodeSample {
  readonly name: string;
  readonly code: string;
  /** File for the code. */
  readonly file?: string;
  /** Shell command that runs the file. */
  readonly command?: string;
}
