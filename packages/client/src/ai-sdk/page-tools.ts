/** Tools that a page runs, and their types. */
import type { StandardSchemaV1 } from '@standard-schema/spec';

/** A tool that the page runs, in `onToolCall`. A `tool()` is one too. */
export interface PageTool {
  readonly description?: string;
  readonly inputSchema: StandardSchemaV1;
}

/** Tools by name. */
export type PageTools = Readonly<Record<string, PageTool>>;

/** Types of tools for `TruecastUIMessage`. */
export type InferPageTools<TTools extends PageTools> = {
  readonly [TName in keyof TTools & string]: {
    input: StandardSchemaV1.InferOutput<TTools[TName]['inputSchema']>;
    output: unknown;
  };
};
