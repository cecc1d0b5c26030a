/** Prompt of the Action: fills in the arguments and the event's text, which can never become a command. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { readTemplate } from 'truecast/internal/run/prompt/prepare-prompt';
import { keysOf, parseTemplate, type TemplatePart } from 'truecast/internal/run/prompt/prompt-template';
import { withDefaultTag } from '../flags/output-flags.ts';
import { parseArguments } from '../flags/read-prompt.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import type { ActionInputs } from './action-inputs.ts';
import { EVENT_KEYS, eventTexts, isEventKey } from './event-text.ts';

/**
 * Returns the flags with the prompt's arguments.
 *
 * A `prompt` gets its `{{KEY}}`s here and has no commands: a workflow can have put text of other people
 * into it. A `prompt-file` is a template of `truecast run`.
 *
 * @throws UsageError without exactly one prompt, or for the event's text in a command
 */
export async function withPromptArguments(
  { flags, args }: Pick<ActionInputs, 'flags' | 'args'>,
  eventPath: string | undefined,
): Promise<RunFlags> {
  const { prompt, promptFile } = flags;
  if ((prompt === undefined) === (promptFile === undefined)) {
    throw new UsageError(
      `Expected one of the inputs \`prompt\` and \`prompt-file\`, got ${prompt === undefined ? 'neither' : 'both'}. Set one of them.`,
    );
  }
  const parts = parseTemplate(promptFile === undefined ? (prompt ?? '') : await readTemplate(promptFile));
  const used = keysOf(parts).filter((key) => key.startsWith('EVENT_'));
  assertKnown(used);
  const events: Readonly<Record<string, string>> =
    used.length === 0 ? {} : await eventTexts(eventPath, withDefaultTag(flags).tag ?? 'result');
  if (promptFile === undefined) {
    return { ...flags, prompt: fillIn(parts, { ...parseArguments(args), ...events }) };
  }
  assertNoEventInCommands(parts);
  const given = Object.entries(events).filter(([key]) => used.includes(key));
  return { ...flags, arg: [...args, ...given.map(([key, value]) => `${key}=${value}`)] };
}

function assertKnown(keys: readonly string[]): void {
  const unknown = keys.find((key) => !isEventKey(key));
  if (unknown === undefined) return;
  throw new UsageError(
    `The prompt uses \`{{${unknown}}}\`, which no event has. Use ${EVENT_KEYS.map((key) => `\`{{${key}}}\``).join(', ')}.`,
  );
}

/** Keeps keys without a value, and commands, which are only text here. */
function fillIn(parts: readonly TemplatePart[], values: Readonly<Record<string, string>>): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'expression') return `!\`${fillIn(part.parts, values)}\``;
      return Object.hasOwn(values, part.key) ? values[part.key] : `{{${part.key}}}`;
    })
    .join('');
}

function assertNoEventInCommands(parts: readonly TemplatePart[]): void {
  const keys = parts.flatMap((part) => (part.type === 'expression' ? keysOf(part.parts) : []));
  const key = keys.find((each) => isEventKey(each) && each !== 'EVENT_NUMBER');
  if (key === undefined) return;
  throw new UsageError(
    `The prompt file uses \`{{${key}}}\` in a command, but text of other people is never part of a command. Put it outside of the command.`,
  );
}
