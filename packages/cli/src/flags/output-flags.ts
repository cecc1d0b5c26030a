/** Flags that define the answer of a command. `load-output.ts` makes the definition: a help needs no schema. */
import { Option, type Command } from 'commander';
import { wholeNumber } from './flag-values.ts';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';

/** Tag of an answer whose schema is given without a tag. */
const DEFAULT_TAG = 'result';

/**
 * Adds `--schema` and `--tag`.
 *
 * @param withSchema - the default of `--tag` beside `--schema`
 */
export function addOutputFlags(command: Command, withSchema: string = DEFAULT_TAG): Command {
  return command
    .option('--schema <schema>', 'schema.json, ./schema.ts#name, or the JSON Schema itself')
    .option(
      '--tag <name>',
      `read the answer between <name> and </name>: JSON with --schema, else text (default with --schema: ${withSchema})`,
    );
}

interface RetryTexts {
  /** Help of `--max-corrections`. */
  readonly retries: string;
}

/** Adds `--mode` and `--max-corrections`. */
export function addModeFlags(command: Command, { retries }: RetryTexts): Command {
  return command
    .addOption(
      new Option('--mode <mode>', 'how the agent returns the answer, instead of a tag').choices([
        'native',
        'mcp',
      ]),
    )
    .option('--max-corrections <count>', retries, wholeNumber);
}

/** Adds the flags of the mode and of retries. */
export function addRetryFlags(command: Command, texts: RetryTexts): Command {
  return addModeFlags(command, texts).addOption(
    new Option(
      '--retry <session>',
      "session for retries: resume the agent's session, or start a fresh one (default: resume, if the agent can)",
    ).choices(['resume', 'fresh']),
  );
}

/** Adds `--question` and `--decline`. */
export function addOutcomeFlags(command: Command): Command {
  return command
    .option('--question', 'with --schema: allow the agent to ask a question instead of guessing')
    .option('--decline', 'with --schema: allow the agent to decline, with a reason');
}

/** Adds the default tag to flags that name a schema and no other mode. */
export function withDefaultTag<TFlags extends OutputFlags>(flags: TFlags): TFlags {
  const isNamed = flags.tag !== undefined || flags.mode !== undefined;
  return flags.schema === undefined || isNamed ? flags : { ...flags, tag: DEFAULT_TAG };
}

/** Number of retries if no flag sets it. */
export const DEFAULT_RETRIES = 2;

/**
 * Adds the default number of retries. An agent that cannot resume its session is retried only on
 * request, because a fresh session repeats its work.
 */
export function withRetries<TFlags extends OutputFlags>(
  flags: TFlags,
  { sessionStorage }: AgentProvider,
): TFlags {
  if (flags.schema === undefined && flags.tag === undefined) return flags;
  if (sessionStorage !== undefined) return { maxCorrections: DEFAULT_RETRIES, ...flags };
  const isFresh = flags.retry === undefined && (flags.maxCorrections ?? 0) > 0;
  if (flags.retry === 'fresh') return { maxCorrections: DEFAULT_RETRIES, ...flags };
  return isFresh ? { ...flags, retry: 'fresh' } : flags;
}

export interface OutputFlags {
  readonly schema?: string;
  readonly tag?: string;
  readonly mode?: string;
  readonly maxCorrections?: number;
  readonly retry?: 'resume' | 'fresh';
  readonly question?: boolean;
  readonly decline?: boolean;
}
