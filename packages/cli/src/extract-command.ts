/** `truecast extract`: reads a transcript and prints its validated answer. */
import type { Command } from 'commander';
import { loadOutput } from './flags/load-output.ts';
import { addOutputFlags, withDefaultTag, type OutputFlags } from './flags/output-flags.ts';
import type { CommandContext } from './flags/flag-values.ts';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { createTagScanner } from '@truecast/core/internal/output/tag-scanner';
import type { AgentEvent, AgentStreamParser } from 'truecast/internal/ports/agent-provider';
import { openChosenFile } from 'truecast/internal/support/open-chosen-file';
import { chooseAgent } from './flags/choose-agent.ts';
import { printResult, tell, type Terminal } from './terminal/print.ts';

export function addExtractCommand(program: Command, { terminal, finish }: CommandContext): void {
  addOutputFlags(program.command('extract'))
    .description('Read a transcript, and print its validated answer.')
    .argument('[file]', 'the transcript; - or no file for stdin')
    .option('--agent <agent>', 'parse the transcript as the event stream of this agent (default: plain text)')
    .option('--json', 'print { output, provenance } or the error')
    .addHelpText(
      'after',
      `
  Examples:
    $ truecast extract --tag result --schema bug.json transcript.txt
    $ claude -p "…" --output-format stream-json --verbose | truecast extract --agent claude-code --tag result --schema bug.json`,
    )
    .action((file: string | undefined, flags: ExtractFlags) =>
      finish(() => extractCommand(file, flags, terminal), flags),
    );
}

/** Four times the limit of a log. */
const MAX_TRANSCRIPT_BYTES = 1024 ** 3;

interface ExtractFlags extends OutputFlags {
  /** The agent that wrote the transcript as an event stream. Absent for plain text. */
  readonly agent?: string;
  readonly json?: boolean;
}

/**
 * Reads a transcript as it arrives, and prints its answer.
 *
 * @throws StructuredOutputError if there is no valid answer
 */
export async function extractCommand(
  file: string | undefined,
  flags: ExtractFlags,
  terminal: Terminal & { readonly stdin: AsyncIterable<string | Buffer> & { readonly isTTY?: boolean } },
): Promise<void> {
  const output = await loadOutput(withDefaultTag(flags));
  if (output?.tag === undefined) {
    throw new UsageError(
      '`truecast extract` needs `--schema` or `--tag`, the name of the tag around the answer.',
    );
  }
  const parser = flags.agent === undefined ? undefined : chooseAgent(flags.agent).createStreamParser();
  const isPiped = file === undefined || file === '-';
  if (file === undefined && terminal.stdin.isTTY === true) {
    tell('Reading the transcript from the terminal. Paste it, and press Ctrl-D at its end.', terminal);
  }
  const scanning = isPiped ? scan(terminal.stdin, output, parser) : scanFile(file, output, parser);
  const { result, events } = await scanning.catch((cause: unknown) => {
    if (StructuredOutputError.isInstance(cause) || UsageError.isInstance(cause) || file === undefined) {
      throw cause;
    }
    throw new UsageError(
      `Expected \`${file}\` to be a readable file. Check the path, or pass the transcript on stdin.`,
      { cause },
    );
  });
  if (!result.success && flags.agent !== undefined && events === 0) {
    throw new UsageError(
      `The transcript has no event of \`${flags.agent}\`. Pass its event stream, or remove \`--agent\` if it is plain text.`,
    );
  }
  if (!result.success) throw result.error;
  await printResult(
    flags.json === true ? { output: result.output, provenance: result.provenance } : result.output,
    terminal,
  );
}

function tooLarge(path: string): UsageError {
  return new UsageError(
    `Expected \`${path}\` to have at most ${MAX_TRANSCRIPT_BYTES} bytes. Pass the part with the answer on stdin.`,
  );
}

interface Scanned {
  readonly result: Awaited<ReturnType<ReturnType<typeof createTagScanner>['finish']>>;
  /** Number of the agent's events. 0 for plain text. */
  readonly events: number;
}

async function scanFile(
  path: string,
  output: AnyOutputDefinition,
  parser: AgentStreamParser | undefined,
): Promise<Scanned> {
  await using opened = await openChosenFile(path, 'read');
  if ((await opened.stat()).size > MAX_TRANSCRIPT_BYTES) throw tooLarge(path);
  return await scan(opened.createReadStream({ autoClose: false }), output, parser);
}

async function scan(
  input: AsyncIterable<string | Buffer>,
  output: AnyOutputDefinition,
  parser: AgentStreamParser | undefined,
): Promise<Scanned> {
  const scanner = createTagScanner(output);
  let events = 0;
  const take = (event: AgentEvent): void => {
    events += 1;
    if (event.type === 'text') scanner.push(event.text);
  };
  const decoder = new TextDecoder();
  for await (const chunk of input) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (parser === undefined) scanner.push(text);
    else parser.push(text).forEach(take);
  }
  if (parser === undefined) scanner.push(decoder.decode());
  else parser.end().forEach(take);
  return { result: await scanner.finish(), events };
}
