/** Flags that define the answer of a command. */
import type { Command } from 'commander';

/** Adds `--schema` and `--tag`. */
export function addOutputFlags(command: Command): Command {
  return command
    .option('--schema <schema>', 'schema.json, or ./schema.ts#name')
    .option('--tag <name>', 'the answer is between <name> and </name>; without --schema, as text');
}
