/** Hovers in the built code blocks: marks each name that has a type, for the script of the page. Pure. */
import type { Hover, ShownSample } from './prepare/sample-hovers.ts';

const BLOCK = /<pre data-language="ts"[\s\S]*?<\/pre>/gu;
const PART = /<[^>]*>|&[^;]+;|[^<&]+/gu;
/** How the page writes characters of code. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&#x3C;': '<',
  '&#x26;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
};
const LINE = '<div class="ec-line';

/** Returns a page whose code blocks have the hovers of `samples`, in the same order. Throws if the code differs. */
export function withHovers(html: string, samples: readonly ShownSample[]): string {
  let count = 0;
  const marked = html.replaceAll(BLOCK, (block) => {
    const sample = samples[count];
    count += 1;
    return sample === undefined ? block : markedBlock(block, sample);
  });
  if (count !== samples.length) throw new Error(`The page has ${count} code blocks, not ${samples.length}.`);
  return marked;
}

function markedBlock(block: string, { code, hovers }: ShownSample): string {
  const lines: string[] = [];
  const marked = block.replaceAll(PART, (part) => {
    if (part.startsWith(LINE)) lines.push('');
    if (part.startsWith('<')) return part;
    const line = lines.length - 1;
    const column = lines[line]?.length ?? 0;
    const text = ENTITIES[part] ?? part;
    lines[line] = (lines[line] ?? '') + text;
    const end = column + text.length;
    const here = hovers.filter((each) => each.line === line && each.column >= column && each.column < end);
    return here.length === 0 ? part : markedText(part, column, here);
  });
  // An empty line of a block has a line break.
  const shown = lines.map((each) => each.replace('\n', '')).join('\n');
  if (shown !== code.trimEnd()) throw new Error(`A code block shows another sample:\n${shown}`);
  return marked;
}

function markedText(text: string, start: number, hovers: readonly Hover[]): string {
  let end = 0;
  const parts = hovers.map(({ column, name, type, text: meaning }) => {
    const at = column - start;
    const before = text.slice(end, at);
    end = at + name.length;
    const about = meaning === '' ? '' : ` data-text="${escaped(meaning)}"`;
    return `${before}<span class="typed" tabindex="0" data-type="${escaped(type)}"${about}>${name}</span>`;
  });
  return parts.join('') + text.slice(end);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
