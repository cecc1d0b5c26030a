/** Owns what a bench hands back, and the bench's own port. */

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  /** Cells as they are printed; a row has a cell for each column. */
  readonly rows: readonly (readonly string[])[];
}

export interface Report {
  readonly name: string;
  /** How it was measured, and what may mislead; one sentence or two each. */
  readonly method: readonly string[];
  readonly tables: readonly Table[];
}

interface BenchOptions {
  /** Smaller inputs and fewer rounds: the whole bench in under a minute. */
  readonly isQuick: boolean;
  /** Tells what is being measured. */
  readonly progress: (message: string) => void;
}

export type Bench = (options: BenchOptions) => Promise<Report>;
