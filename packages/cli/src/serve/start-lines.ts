/**
 * Lines of `truecast serve` when it has started: plain lines for a log, styled lines for a person.
 * Pure.
 */
import { OWN_COMMAND } from '../terminal/own-command.ts';
import type { Meaning } from '../terminal/print.ts';
import type { SignName } from 'truecast/internal/support/terminal-text';

export interface StartFacts {
  readonly url: string;
  /** Address that signs one browser in. Without it, that of the server. */
  readonly link: string;
  /** True if the server created a token. It creates none if other machines can reach it. */
  readonly hasToken: boolean;
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
const LINK = `\`${OWN_COMMAND} link\``;
const SHOW = `\`${OWN_COMMAND} token show\``;
const NO_BUILD = 'The console is not built: run `npm run build`.';

/** Lines for a log. They contain neither the token nor a link with a code, because others can read a log later. */
export function logLines(facts: StartFacts): readonly string[] {
  const { url, hasToken, notePath, storePlace, models, hasConsole } = facts;
  return [
    `database: ${storePlace}`,
    models === undefined
      ? `model: scripted:demo, which echoes messages and generates sample values. For a real model, ${WAYS}`
      : models,
    `docs: ${url}/docs`,
    ...(hasConsole ? [] : [NO_BUILD]),
    ...(hasToken ? [`token: in ${notePath}`, `sign in: ${LINK} prints a link`] : []),
    `Serving at ${url}`,
  ];
}

/** Lines for a person at a terminal. */
export function terminalLines(
  { link, hasToken, storePlace, models, hasConsole }: StartFacts,
  signs: Readonly<Record<SignName, string>>,
): readonly StartLine[] {
  // Only a server on loopback has a token here, and connects models.
  const inPage = hasToken && hasConsole ? ' Connect one in the page, or start with' : '';
  return [
    [`${signs.said} ${link}`, 'heading'],
    [`  ${hasConsole ? 'console, chats, OpenAI wire, API reference at /docs' : NO_BUILD}`],
    models === undefined
      ? [`${signs.warning} No model is connected: answers are scripted.${inPage} \`${CONNECT}\``, 'warning']
      : [`${signs.note} ${models}`],
    ...(hasToken
      ? [
          [
            `${signs.note} The link signs one browser in, within 10 minutes. ${LINK} prints another, and ${SHOW} the token for programs.`,
            'aside',
          ] as const,
        ]
      : []),
    [`${signs.note} Chats are stored in ${storePlace}. Press Ctrl+C to stop.`, 'aside'],
  ];
}
