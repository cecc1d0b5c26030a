/** `truecast mock`: a scripted model as a server on 127.0.0.1, for real agent CLIs without a key. */
import type { Command } from 'commander';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ModelScript } from '@truecast/testing/internal/scripted-model/model-script';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import type { ScriptedTurn } from '@truecast/testing/internal/scripted-model/turn/scripted-turn';
import { wholeNumber, type CommandContext } from '../flags/flag-values.ts';
import { importModule } from '../flags/import-module.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { printResult, printText, tell, tellToCopy, type Terminal } from '../terminal/print.ts';
import { sampleScript } from './sample-script.ts';

interface MockFlags {
  readonly script?: string;
  readonly reply?: readonly string[];
  readonly wrong: number;
  readonly port: number;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const DEFAULT_PORT = 4748;
const MAX_SHOWN_CHARS = 60;

export function addMockCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('mock')
    .description('Serve a scripted model on 127.0.0.1, so that a real agent CLI runs without a key.')
    .option('--script <module>', 'module whose default export is a script, as for scriptedModelServer()')
    .option('--reply <text...>', 'answer with these texts, in order, and repeat the last one')
    .option(
      '--wrong <count>',
      'number of wrong answers before the valid one, if there is no script',
      wholeNumber,
      1,
    )
    .option('--port <port>', 'port to listen on; 0 selects a free one', wholeNumber, DEFAULT_PORT)
    .option('--quiet', 'do not show the calls')
    .option('--json', 'print { anthropicUrl, openaiUrl } instead of the lines for a shell')
    .addHelpText(
      'after',
      `
Without a script it answers each schema with a sample, after one wrong answer. No file changes.
Examples:
  $ truecast mock
  $ truecast mock --reply '<bug>{"line":"seven"}</bug>' '<bug>{"line":7}</bug>'`,
    )
    .action((flags: MockFlags) => finish(() => mockCommand(flags, terminal), flags));
}

async function mockCommand(flags: MockFlags, terminal: Terminal): Promise<void> {
  const script = await chooseScript(flags);
  const server = await scriptedModelServer({
    port: flags.port,
    script: async (turn) => {
      if (flags.quiet !== true) tell(describeCall(turn), terminal, 'aside');
      if (typeof script === 'function') return script(turn);
      const entry = script[turn.turnIndex];
      if (entry === undefined) throw new UsageError(`The script has ${script.length} replies. Add one.`);
      return typeof entry === 'function' ? entry(turn) : entry;
    },
  }).catch((cause: unknown) => {
    throw explainPort(cause, flags.port);
  });
  const stopped = untilSignal();
  if (flags.json === true) await printResult(addressesOf(server), terminal);
  else tellAddresses(addressesOf(server), terminal);
  await stopped;
  await server.close();
}

type Addresses = Pick<ScriptedModelServer, 'anthropicUrl' | 'openaiUrl'>;

function addressesOf({ anthropicUrl, openaiUrl }: ScriptedModelServer): Addresses {
  return { anthropicUrl, openaiUrl };
}

function tellAddresses({ anthropicUrl, openaiUrl }: Addresses, terminal: Terminal): void {
  tell(
    'A scripted model for real agent CLIs. Run one of these lines in another terminal:',
    terminal,
    'heading',
  );
  printText(
    `export ANTHROPIC_BASE_URL=${anthropicUrl} ANTHROPIC_API_KEY=mock\nexport OPENAI_BASE_URL=${openaiUrl} OPENAI_API_KEY=mock\n`,
    terminal,
  );
  tellToCopy('Then', `${OWN_COMMAND} run "Find a bug" --schema bug.json`, terminal);
  tell('Ctrl-C stops the server.', terminal);
}

async function chooseScript({ script, reply: texts, wrong }: MockFlags): Promise<ModelScript> {
  if (script !== undefined && texts !== undefined) {
    throw new UsageError('`--script` and `--reply` exclude each other. Pass one of them.');
  }
  if (texts !== undefined) {
    return ({ turnIndex }) => reply.text(texts[Math.min(turnIndex, texts.length - 1)] ?? '');
  }
  if (script === undefined) return sampleScript(wrong);
  const loaded = await importModule(script, `The module \`${script}\` of \`--script\``);
  const value: unknown =
    typeof loaded === 'object' && loaded !== null ? Reflect.get(loaded, 'default') : undefined;
  if (typeof value === 'function' || Array.isArray(value)) return value as ModelScript; // its replies are checked when they are sent
  throw new UsageError(
    `The module \`${script}\` has no script as its default export. Export a function of the turn, or an array of replies.`,
  );
}

function describeCall({ wire, messages, userText, lastToolResult }: ScriptedTurn): string {
  const said = (lastToolResult === undefined ? userText : `result of ${lastToolResult.name}`).trim();
  const line = said.split('\n')[0] ?? '';
  const shown = line.length > MAX_SHOWN_CHARS ? `${line.slice(0, MAX_SHOWN_CHARS)}…` : line;
  return `${wire}, ${messages.length} message${messages.length === 1 ? '' : 's'}: ${shown}`;
}

function explainPort(cause: unknown, port: number): unknown {
  const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
  return isTaken
    ? new UsageError(`Port ${port} is in use. Pass another \`--port\`, or 0 for a free one.`, { cause })
    : cause;
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
