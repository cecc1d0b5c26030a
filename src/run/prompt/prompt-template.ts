/** Owns the syntax of a prompt template: `{{ KEY }}` and `` !`command` ``. Pure. */

/** A stretch of a template, as the file says it. */
export type TemplatePart = TextPart | ArgumentPart | ExpressionPart;

/** Text that stands for itself. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** A `{{ KEY }}`. */
export interface ArgumentPart {
  readonly type: 'argument';
  readonly key: string;
}

/** A `` !`command` ``, whose own text may hold arguments. */
export interface ExpressionPart {
  readonly type: 'expression';
  /** The command as it is written in the file. */
  readonly source: string;
  readonly parts: readonly (TextPart | ArgumentPart)[];
}

/**
 * Reads a template.
 *
 * What the file says is decided here, once: a value that is filled in later is never read for placeholders or commands.
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

/** Returns every key that a template names, once. */
export function keysOf(parts: readonly TemplatePart[]): string[] {
  const keys = parts.flatMap((part) => {
    if (part.type === 'argument') return [part.key];
    return part.type === 'expression' ? keysOf(part.parts) : [];
  });
  return [...new Set(keys)];
}

function parseArguments(text: string): (TextPart | ArgumentPart)[] {
  const parts: (TextPart | ArgumentPart)[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{[ \t]*([A-Za-z0-9_]+)[ \t]*\}\}/gu)) {
    if (match.index > end) parts.push({ type: 'text', text: text.slice(end, match.index) });
    parts.push({ type: 'argument', key: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...parts, { type: 'text', text: text.slice(end) }] : parts;
}
