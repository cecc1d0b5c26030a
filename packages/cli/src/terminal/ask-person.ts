/** Question of an agent to the person at the terminal: shown on stderr, answered on stdin. */
import { createInterface } from 'node:readline/promises';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { tell, type CommandTerminal } from './print.ts';

/** Returns the question or the reason of an outcome as text. */
export function describeOutcome(outcome: unknown): string {
  if (!isRecord(outcome)) return '';
  const { question = outcome['reason'] } = outcome;
  const text = isRecord(question) ? question['text'] : question;
  return typeof text === 'string' ? text : JSON.stringify(question);
}

/**
 * Returns true if a person can answer here: stdin and stderr are a terminal, and neither the flag nor
 * `CI` forbids it.
 */
export function canAskPerson(
  { stdin, stderr }: CommandTerminal,
  { input = true }: { readonly input?: boolean },
): boolean {
  const { CI: ci = '' } = process.env;
  const isInCi = ci !== '' && ci !== '0' && ci.toLowerCase() !== 'false';
  return input && !isInCi && stdin.isTTY && stderr.isTTY === true;
}

/** Asks the person. Returns undefined after an empty line, the end of the input, or an interruption. */
export async function askPerson(question: unknown, terminal: CommandTerminal): Promise<string | undefined> {
  const options = optionsOf(question);
  tell(`\nThe agent asks: ${describeOutcome({ question })}`, terminal, 'heading');
  for (const [index, option] of options.entries()) tell(`  ${index + 1}. ${option}`, terminal);
  const hint = options.length === 0 ? 'Your answer' : 'Your answer, or a number';
  const line = await readLine(`${hint} (empty to stop): `, terminal);
  const text = line?.trim() ?? '';
  return text === '' ? undefined : (options[Number(text) - 1] ?? text);
}

function optionsOf(question: unknown): readonly string[] {
  const options = isRecord(question) ? question['options'] : undefined;
  return Array.isArray(options) ? options.filter((option) => typeof option === 'string') : [];
}

async function readLine(
  prompt: string,
  { stdin: input, stderr: output }: CommandTerminal,
): Promise<string | undefined> {
  const reader = createInterface({ input, output });
  const ended = new AbortController();
  reader.once('close', () => ended.abort());
  reader.once('SIGINT', () => reader.close());
  try {
    return await reader.question(prompt, { signal: ended.signal });
  } catch (error) {
    if (ended.signal.aborted) return undefined;
    throw error;
  } finally {
    reader.close();
  }
}
