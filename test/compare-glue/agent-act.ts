/** Agent act: actions of the fake CLI in one turn, decided by the script of a world. */

export interface AgentAct {
  /** A command that it runs with its tool, in its working directory. */
  readonly shell?: string;
  readonly text: string;
  /** How the process ends. @default "ok" */
  readonly end?: 'ok' | 'fail' | 'crash' | 'limit' | 'cut' | 'hang';
  /** @default "end_turn" */
  readonly stopReason?: 'end_turn' | 'max_tokens';
}

/** One start of the CLI. */
export interface AgentCall {
  readonly prompt: string;
  readonly sessionId: string;
  /** The session that it continues. */
  readonly resumed?: string;
  readonly cwd: string;
  readonly pid: number;
}

/** Form in which an answer is written. */
export type AnswerForm = 'plain' | 'prose' | 'fence' | 'comma' | 'two' | 'cut' | 'secret';

/**
 * Writes an answer as the prompt asked for it: between the tags `answer`, `result`, `output` or `json` that
 * the prompt names last, else as the whole text. `other` is the second answer of the form `two`.
 */
export function writeAnswer(
  value: unknown,
  asked: string,
  form: AnswerForm = 'plain',
  other?: unknown,
): string {
  const tag = [...asked.matchAll(/<(answer|result|output|json)>(?=[^]*<\/\1>)/gu)].at(-1)?.[1];
  const wrap = (inner: string): string => (tag === undefined ? inner : `<${tag}>${inner}</${tag}>`);
  const json = JSON.stringify(value);
  switch (form) {
    case 'prose':
      return `I looked at {all} of it, and [most] of the rest.\n${wrap(json)}\nTell me if {more} is needed.`;
    case 'fence':
      return wrap(`\n\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\`\n`);
    case 'comma':
      return wrap(json.replace(/\}$/u, ',}'));
    case 'two':
      return `It is this:\n${wrap(JSON.stringify(other))}\nOr it is this:\n${wrap(json)}`;
    case 'cut':
      return wrap(json).slice(0, -Math.ceil(json.length / 2));
    case 'secret':
    case 'plain':
    default:
      return wrap(json);
  }
}
