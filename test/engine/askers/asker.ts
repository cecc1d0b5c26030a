/** Asker: one way to get an answer from an engine, as a leg of the proof runs it. */
import type { FormCase } from '../form-cases.ts';

/** Engine as an asker sees it. */
export interface AskedEngine {
  /** Base URL, with `/v1`. It counts. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Tokens of one reply. @default 300 */
  readonly maxTokens?: number | undefined;
}

/** Sampling of each request, the same for each library. */
export const TEMPERATURE = 0.7;
/** Tokens of one reply. */
export const MAX_TOKENS = 300;
/** Calls for one answer, where the library takes a number. */
export const MAX_CALLS = 3;

/** An open asker. `ask` rejects if it got no answer. */
export interface OpenAsker {
  ask(form: FormCase, seed: number): Promise<unknown>;
  close?(): Promise<void>;
}

/** One row of the table. */
export interface Asker {
  readonly id: string;
  readonly title: string;
  /** What it asks. @default the forms of the proof */
  readonly forms?: readonly FormCase[];
  open(engine: AskedEngine): Promise<OpenAsker>;
}

/** Thrown for a schema that the library cannot express: the case does not count. */
export class NotExpressible extends Error {}
