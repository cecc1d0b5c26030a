/** `truecast chat`: sends a message to a server and prints its answer on stdout. */
import type { ClientChat } from '@truecast/client/internal/client-chat';
import { createClient } from '@truecast/client/internal/create-client';
import type { ReceiptUsage } from '@truecast/client/internal/wire/receipt';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { Output } from '@truecast/core/internal/output/output';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { isObjectRoot, WRAPPED_ROOT_KEY } from '@truecast/core/internal/schema/wrap-root';
import { findInexact } from '@truecast/core/internal/json/text/find-inexact';
import { loadSchema } from '../flags/load-schema.ts';
import { tellSeal } from '../terminal/describe-work.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import {
  escapeJsonText,
  printResult,
  printText,
  tellToCopy,
  toJsonText,
  type Terminal,
} from '../terminal/print.ts';
import { explained, selectServer, type ConnectFlags } from './connect-server.ts';
import { followTurn } from './follow-turn.ts';
import { toTerminalText } from 'truecast/internal/support/terminal-text';

export interface ChatFlags extends ConnectFlags {
  readonly schema?: string;
  /** Id of the chat to continue. */
  readonly chat?: string;
  readonly model?: string;
  readonly json?: boolean;
}

/** Sends the message and prints the answer: with a schema only a valid value, else the text. */
export async function chatCommand(message: string, flags: ChatFlags, terminal: Terminal): Promise<void> {
  if (flags.chat !== undefined && flags.model !== undefined) {
    throw new UsageError(
      '`--model` and `--chat` exclude each other: `--model` starts a new chat, `--chat` continues one. Remove one of them.',
    );
  }
  const connection = await selectServer(flags);
  const { baseURL: url } = connection;
  const chat = createClient(connection).chat({
    ...(flags.chat !== undefined && { id: flags.chat }),
    ...(flags.model !== undefined && { model: flags.model }),
  });
  let isAnswered = false;
  try {
    if (flags.schema === undefined) await askForText(chat, message, { flags, terminal });
    else await askForValue(chat, message, { schemaPath: flags.schema, url, flags, terminal });
    isAnswered = true;
  } finally {
    // After a failure the id is printed only for a new chat, because the user does not know it yet.
    if (chat.id !== undefined && (isAnswered || flags.chat === undefined)) {
      tellToCopy('To continue', `${OWN_COMMAND} chat --chat ${chat.id} "…"`, terminal);
    }
  }
}

interface Asking {
  readonly flags: ChatFlags;
  readonly terminal: Terminal;
}

async function askForText(chat: ClientChat, message: string, { flags, terminal }: Asking): Promise<void> {
  const line = createPartialLine(terminal);
  const text = await explained(followTurn(chat, message, line.add)).finally(line.clear);
  if (flags.json === true) await printResult({ chat_id: chat.id, text }, terminal);
  else printText(`${text}\n`, terminal);
}

async function askForValue(
  chat: ClientChat,
  message: string,
  { schemaPath, url, flags, terminal }: Asking & { readonly schemaPath: string; readonly url: string },
): Promise<void> {
  const schema = await loadSchema(schemaPath);
  const line = createPartialLine(terminal);
  const asked = chat.ask({
    prompt: message,
    output: Output.object({ schema }),
    // The answer is printed from the server's text, which keeps all digits.
    acceptsRounding: true,
    ...(line.isShown && { onPartial: (value: unknown) => line.show(JSON.stringify(value)) }),
  });
  const { receipt, output: value } = await explained(asked).finally(line.clear);
  // Printed exactly as the server sealed it, so that numbers keep all their digits.
  const { value_text: sealed = 'null' } = receipt;
  const isWrapped = !isObjectRoot(toJsonSchema(schema));
  const text = (isWrapped ? memberText(sealed, [WRAPPED_ROOT_KEY]) : undefined) ?? sealed;
  if (flags.json !== true) {
    terminal.stdout.write(`${escapeJsonText(text)}\n`);
  } else if (findInexact(sealed, receipt.value) === undefined) {
    // A module's schema can transform the value, so it is not printed from the text.
    await printResult({ chat_id: chat.id, output: value, receipt }, terminal);
  } else {
    const output = escapeJsonText(text);
    const members = { chat_id: toJsonText(chat.id), output, receipt: toJsonText(receipt, 2) };
    terminal.stdout.write(toObjectText(members));
  }
  const { attempts, duration_ms: durationMs, usage, request_id: id } = receipt;
  tellSeal({ attempts: attempts.length, durationMs, usage: usage && usageOf(usage) }, terminal);
  tellToCopy('In the console', `${url}/chats/${chat.id}/requests/${id}`, terminal);
}

function usageOf(usage: ReceiptUsage): Usage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    ...(usage.cost_usd !== undefined && { costUsd: usage.cost_usd }),
  };
}

/** Builds an object from JSON texts, because `JSON.stringify` would round their numbers. */
function toObjectText(texts: Readonly<Record<string, string>>): string {
  const members = Object.entries(texts).map(([key, text]) => `  "${key}": ${text.replaceAll('\n', '\n  ')}`);
  return `{\n${members.join(',\n')}\n}\n`;
}

/** A line on a terminal. */
interface PartialLine {
  /** False if stderr is not a terminal. Nothing is shown then. */
  readonly isShown: boolean;
  /** Shows the end of a text. */
  show(text: string): void;
  /** Appends a piece and shows the end of the text. */
  add(piece: string): void;
  clear(): void;
}

const DEFAULT_COLUMNS = 80;

/** Creates the line on stderr. Control characters of an answer never reach the terminal. */
function createPartialLine({ stderr }: Terminal): PartialLine {
  const isShown = stderr.isTTY === true;
  let text = '';
  const show = (whole: string): void => {
    if (!isShown) return;
    const width = (stderr.columns ?? DEFAULT_COLUMNS) - 2;
    const plain = toTerminalText(whole);
    stderr.write(`\r\u001B[2K${plain.length > width ? `…${plain.slice(1 - width)}` : plain}`);
  };
  return {
    isShown,
    show,
    add: (piece) => {
      text += piece;
      show(text);
    },
    clear: () => {
      if (isShown) stderr.write('\r\u001B[2K');
    },
  };
}
