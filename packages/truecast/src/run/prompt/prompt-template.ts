/** Prompt template parser: `{{ KEY }}` and `` !`command` ``. Pure. */
import { parsePlaceholders, type PlaceholderPart } from '@truecast/core/internal/kit/placeholders';

/** A value for a `{{KEY}}`. */
type PromptArg = string | number | boolean;

/** Values for the `{{KEY}}`s of a prompt template. */
export type PromptArgs = Readonly<Record<string, PromptArg>>;

/** Keys that a run fills in. */
export const BUILT_IN_PROMPT_ARGS = ['SOURCE_BRANCH', 'TARGET_BRANCH'] as const;

/** A key that a run fills in. */
export type BuiltInPromptArg = (typeof BUILT_IN_PROMPT_ARGS)[number];

export type TemplatePart = PlaceholderPart | ExpressionPart;

/** A `` !`command` ``, whose text can contain placeholders. */
export interface ExpressionPart {
  readonly type: 'expression';
  /** The command as written in the file. */
  readonly source: string;
  readonly parts: readonly PlaceholderPart[];
}

/**
 * Parses a template.
 *
 * Placeholders and commands are recognized only here. Values that are inserted later are never
 * parsed for them.
 */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(/!`([^`]+)`/gu)) {
    parts.push(...parsePlaceholders(template.slice(end, match.index)));
    const source = match[1] ?? '';
    parts.push({ type: 'expression', source, parts: parsePlaceholders(source) });
    end = match.index + match[0].length;
  }
  return [...parts, ...parsePlaceholders(template.slice(end))];
}

/** Returns the distinct keys of a template. */
export function keysOf(parts: readonly TemplatePart[]): string[] {
  const keys = parts.flatMap((part) => {
    if (part.type === 'argument') return [part.key];
    return part.type === 'expression' ? keysOf(part.parts) : [];
  });
  return [...new Set(keys)];
}
