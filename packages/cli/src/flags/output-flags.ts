/** Flags that define the answer of a command. */
import { Option, type Command } from 'commander';
import { wholeNumber } from './flag-values.ts';
import type { OutputFlags } from './load-output.ts';

/** Tag of an answer whose schema is given without a tag. */
const DEFAULT_TAG = 'result';

/** Adds `--schema` and `--tag`. */
export function addOutputFlags(command: Command): Command {
  return command
    .option('--schema <schema>', 'schema.json, ./schema.ts#name, or the JSON Schema itself')
    .option(
      '--tag <name>',
      `read the answer between <name> and </name>: JSON with --schema, else text (default with --schema: ${DEFAULT_TAG})`,
    );
}

/** Adds the flags of the mode and of retries. */
export function addRetryFlags(command: Command, { retries }: { readonly retries: string }): Command {
  return command
    .addOption(
      new Option('--mode <mode>', 'how the agent returns the answer, instead of a tag').choices([
        'native',
        'mcp',
      ]),
    )
    .option('--max-corrections <count>', retries, wholeNumber)
    .addOption(
      new Option(
        '--retry <session>',
        "session for retries: resume the agent's session, or start a fresh one (default: resume, if the agent can)",
      ).choices(['resume', 'fresh']),
    );
}

/** Adds the default tag to flags that name a schema and no other mode. */
export function withDefaultTag<TFlags extends OutputFlags>(flags: TFlags): TFlags {
  const isNamed = flags.tag !== undefined || flags.mode !== undefined;
  return flags.schema === undefined || isNamed ? flags : { ...flags, tag: DEFAULT_TAG };
}
