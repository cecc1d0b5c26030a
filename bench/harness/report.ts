/** Result of a bench, and the interface of every bench. */

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  /** Printed cells. A row has one cell per column. */
  readonly rows: readonly (readonly string[])[];
}

export interface Report {
  readonly name: string;
  /** The measuring method and its caveats, in one or two sentences each. */
  readonly method: readonly string[];
  readonly tables: readonly Table[];
}

interface BenchOptions {
  /** Smaller inputs and fewer rounds: the whole bench in under a minute. */
  readonly isQuick: boolean;
  /** Size of the workload, of a bench that has one. @default that of the bench */
  readonly size?: number;
  /** Reports the current measurement. */
  readonly progress: (message: string) => void;
}

export type Bench = (options: BenchOptions) => Promise<Report>;
