/** A converted file of a project that uses Sandcastle. */

/** A part that a person must change. */
export interface Remark {
  /** 1-based. Undefined for the whole file. */
  readonly line?: number;
  readonly text: string;
}

export interface Converted {
  readonly text: string;
  readonly changes: readonly string[];
  readonly remarks: readonly Remark[];
}
