/** Prompt template parser: `{{ KEY }}` and `` !`command` ``. Pure. */

/** A value for a `{{KEY}}`. */
type PromptArg = string | number | boolean;

/** Values for the `{{KEY}}`s of a prompt template. */
export type PromptArgs = Readonly<Record<string, PromptArg>>;

/** Keys that a run fills in. */
export const BUILT_IN_PROMPT_ARGS = ['SOURCE_BRANCH', 'TARGET_BRANCH'] as const;

/** A key that a run fills in. */
export type BuiltInPromptArg = (typeof BUILT_IN_PROMPT_ARGS)[number];

export type TemplatePart = LiteralPart | ArgumentPart | ExpressionPart;

interface LiteralPart {
  readonly type: 'text';
  readonly text: string;
}

/** A `{{ KEY }}` placeholder. */
interface ArgumentPart {
  readonly type: 'argument';
  readonly key: string;
}

/** A `` !`command` ``, whose text can contain placeholders. */
export interface ExpressionPart {
  readonly type: 'expression';
  /** The command as written in the file. */
  readonly source: string;
  readonly parts: readonly (LiteralPart | ArgumentPart)[];
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
    parts.push(...parseArguments(template.slice(end, match.index)));
    const source = match[1] ?? '';
    parts.push({ type: 'expression', source, parts: parseArguments(source) });
    end = match.index + match[0].length;
  }
  return [...parts, ...parseArguments(template.slice(end))];
}

/** Returns the distinct keys of a template. */
export function keysOf(parts: readonly TemplatePart[]): string[] {
  const keys = parts.flatMap((part) => {
    if (part.type === 'argument') return [part.key];
    return part.type === 'expression' ? keysOf(part.parts) : [];
  });
  return [...new Set(keys)];
}

function parseArguments(text: string): (LiteralPart | ArgumentPart)[] {
  const parts: (LiteralPart | ArgumentPart)[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{[ \t]*([A-Za-z0-9_]+)[ \t]*\}\}/gu)) {
    if (match.index > end) parts.push({ type: 'text', text: text.slice(end, match.index) });
    parts.push({ type: 'argument', key: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...parts, { type: 'text', text: text.slice(end) }] : parts;
}
