/** Git command that reads a new tip, and changes nothing. */
export interface TipRead {
  /** The tip is added at the end. */
  readonly args: readonly string[];
  /** Text for git's stdin. @default none */
  readonly input?: string;
}
