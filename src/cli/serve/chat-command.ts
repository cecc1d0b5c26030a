/** Owns `truecast chat`: a question from the shell to a server, and its answer on stdout. */
import { createClient, type Client } from '../../client/create-client.ts';
import type { ClientChat } from '../../client/client-chat.ts';
import { ServerError } from '../../errors/server-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { memberText } from '../../output/finalizer/member-text.ts';
import { Output } from '../../output/output.ts';
import { toJsonSchema } from '../../schema/to-json-schema.ts';
import { isObjectRoot, WRAPPED_ROOT_KEY } from '../../schema/wrap-root.ts';
import { loadSchema } from '../load-schema.ts';
import { printResult, tell, type Terminal } from '../print.ts';
import { readServerNote } from './server-file.ts';
import { followTurn } from './follow-turn.ts';
import { createPartialLine } from './partial-line.ts';

/** The flags of `truecast chat`. */
export interface ChatFlags {
  readonly schema?: string;
  /** Id of a chat to go on with. */
  readonly chat?: string;
  readonly url?: string;
  readonly token?: string;
  readonly model?: string;
  readonly json?: boolean;
}

/** Asks, and prints: with a schema nothing but a valid answer, else the words. */
export async function chatCommand(message: string, flags: ChatFlags, terminal: Terminal): Promise<void> {
  if (flags.chat !== undefined && flags.model !== undefined) {
    throw new UsageError(
      '`--model` is for a new chat, and `--chat` goes on with one. Leave one of them out.',
    );
  }
  const client = await connect(flags);
  const chat = client.chat({
    ...(flags.chat !== undefined && { id: flags.chat }),
    ...(flags.model !== undefined && { model: flags.model }),
  });
  try {
    if (flags.schema === undefined) await askForText(chat, message, { flags, terminal });
    else await askForValue(chat, message, { schemaPath: flags.schema, flags, terminal });
  } finally {
    if (chat.id !== undefined) tell(`To go on: truecast chat --chat ${chat.id} "…"`, terminal);
  }
}

/** The server of the flags, of the environment, or of the current folder. */
async function connect(flags: ChatFlags): Promise<Client> {
  const note = await readServerNote();
  const url = flags.url ?? process.env['TRUECAST_URL'] ?? note?.url;
  // A token goes to nobody but the server that it is for.
  const noted = url === note?.url ? note?.token : undefined;
  const token = flags.token ?? process.env['TRUECAST_TOKEN'] ?? noted;
  if (url === undefined) {
    throw new UsageError(
      'There is no server in this folder. Start one with `truecast serve`, or name one by `--url` or TRUECAST_URL.',
    );
  }
  if (token === undefined) {
    throw new UsageError(
      `The server at ${url} needs a token. Make one with \`truecast token create\`, and pass it in TRUECAST_TOKEN.`,
    );
  }
  return createClient({ baseURL: url, token });
}

interface Asking {
  readonly flags: ChatFlags;
  readonly terminal: Terminal;
}

async function askForText(chat: ClientChat, message: string, { flags, terminal }: Asking): Promise<void> {
  const line = createPartialLine(terminal);
  const text = await explained(followTurn(chat, message, line.add)).finally(line.clear);
  if (flags.json === true) await printResult({ chat_id: chat.id, text }, terminal);
  else terminal.stdout.write(`${text}\n`);
}

async function askForValue(
  chat: ClientChat,
  message: string,
  { schemaPath, flags, terminal }: Asking & { readonly schemaPath: string },
): Promise<void> {
  const schema = await loadSchema(schemaPath);
  const line = createPartialLine(terminal);
  const asked = chat.ask({
    message,
    output: Output.object({ schema }),
    ...(line.isShown && { onPartial: (value: unknown) => line.show(JSON.stringify(value)) }),
  });
  const { receipt, value } = await explained(asked).finally(line.clear);
  if (flags.json === true) return printResult({ chat_id: chat.id, output: value, receipt }, terminal);
  // As the server sealed it: numbers keep all their digits.
  const { value_text: sealed = 'null' } = receipt;
  const isWrapped = !isObjectRoot(toJsonSchema(schema));
  const text = isWrapped ? memberText(sealed, [WRAPPED_ROOT_KEY]) : sealed;
  terminal.stdout.write(`${text ?? sealed}\n`);
}

/** Says what to do where the server does not answer. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!ServerError.isInstance(cause) || cause.code !== 'unreachable') throw cause;
    throw new ServerError(`${cause.message} \`truecast serve\` starts one.`, {
      code: cause.code,
      cause,
    });
  }
}
