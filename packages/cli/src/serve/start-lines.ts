/**
 * Lines of `truecast serve` when it has started: plain lines for a log, styled lines for a person.
 * Pure.
 */
import { OWN_COMMAND } from '../terminal/own-command.ts';
import type { Meaning } from '../terminal/print.ts';
import type { SignName } from 'truecast/internal/support/terminal-text';

export interface StartFacts {
  readonly url: string;
  /** Absent if other machines can reach the server. */
  readonly token: string | undefined;
  /** File with the token. */
  readonly notePath: string;
  /** Place where the chats are stored. */
  readonly storePlace: string;
  /** The models, in one line. Undefined without a connected model. */
  readonly models: string | undefined;
  readonly hasConsole: boolean;
}

export type StartLine = readonly [text: string, meaning?: Meaning];

const WAYS =
  'set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or TRUECAST_BASE_URL and TRUECAST_MODEL.';
const CONNECT = `ANTHROPIC_API_KEY=… ${OWN_COMMAND} serve`;
const NO_BUILD = 'The console is not built: run `npm run build`.';

/** Lines for a log. They never contain the token, because others can read a log later. */
export function logLines(facts: StartFacts): readonly string[] {
  const { url, token, notePath, storePlace, models, hasConsole } = facts;
  return [
    `database: ${storePlace}`,
    models === undefined
      ? `model: scripted:demo, which echoes messages and generates sample values. For a real model, ${WAYS}`
      : models,
    `docs: ${url}/docs`,
    ...(hasConsole ? [] : [NO_BUILD]),
    ...(token === undefined ? [] : [`token: in ${notePath}`]),
    `Serving at ${url}`,
  ];
}

/**
 * Lines for a person at a terminal. Browsers do not send the fragment, so no server log contains
 * the token.
 */
export function terminalLines(
  { url, token, storePlace, models, hasConsole }: StartFacts,
  signs: Readonly<Record<SignName, string>>,
): readonly StartLine[] {
  const link = token === undefined ? url : `${url}/#token=${token}`;
  return [
    [`${signs.said} ${link}`, 'heading'],
    [`  ${hasConsole ? 'console, chats, OpenAI wire, API reference at /docs' : NO_BUILD}`],
    models === undefined
      ? [`${signs.warning} No model is connected: answers are scripted. \`${CONNECT}\``, 'warning']
      : [`${signs.note} ${models}`],
    [`${signs.note} Chats are stored in ${storePlace}. Press Ctrl+C to stop.`, 'aside'],
  ];
}
