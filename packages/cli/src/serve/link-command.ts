/** `truecast link` and `truecast token show`: a link that signs one browser in to the console, and the token for programs. */
import { requestSessionCode } from '@truecast/client/internal/request-session-code';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { printLine, printResult, tell, type Terminal } from '../terminal/print.ts';
import { explained, selectServer, type ConnectFlags } from './connect-server.ts';
import { readServerNote, serverNotePath } from './server-file.ts';

export interface LinkFlags extends ConnectFlags {
  readonly json?: boolean;
}

/** Prints the link of a new code. */
export async function linkCommand(flags: LinkFlags, terminal: Terminal): Promise<void> {
  const server = await selectServer(flags);
  const { code, expires_at: expiresAt } = await explained(requestSessionCode(server));
  const link = signInLink(server.baseURL, code);
  if (flags.json === true) return printResult({ link, expires_at: expiresAt }, terminal);
  printLine(link, terminal);
  tell('It signs one browser in, within 10 minutes.', terminal, 'aside');
}

/** Returns the address of the console with a code. Browsers do not send the fragment to a server. */
export function signInLink(url: string, code: string): string {
  return `${url.replace(/\/+$/u, '')}/#code=${code}`;
}

/** Prints the token alone, so that a shell can assign it. */
export async function tokenShowCommand(terminal: Terminal): Promise<void> {
  const token = (await readServerNote())?.token;
  if (token === undefined) {
    throw new UsageError(
      `There is no token in \`${serverNotePath()}\`. \`truecast serve\` writes it there, unless other machines can reach the server. Create a token with \`truecast token create\`.`,
    );
  }
  printLine(token, terminal);
}
