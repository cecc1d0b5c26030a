/** Prompt blocks, and truncation to a size: line by line, oldest first. Pure. */
import { byteLength, BYTES_PER_TOKEN } from '../../providers/estimate-tokens.ts';

/** A part of a prompt under a heading. */
export interface PromptBlock {
  readonly title: string;
  /** Precedes the lines and is never removed. */
  readonly intro?: string;
  /** Oldest first. */
  readonly lines: readonly string[];
  /** Blocks with a lower number lose lines first. A block without one is never shortened. */
  readonly cutRank?: number;
  /**
   * Returns an introduction and lines of at most that many bytes together, if possible.
   * @default the oldest lines are left out
   */
  readonly fit?: (maxBytes: number) => Pick<PromptBlock, 'intro' | 'lines'>;
}

/**
 * Joins blocks to a prompt of at most `maxTokens` (estimated), unless the fixed parts are larger.
 */
export function fitBlocks(blocks: readonly PromptBlock[], maxTokens: number): string {
  let excessBytes = byteLength(showAll(blocks)) - maxTokens * BYTES_PER_TOKEN;
  const fitted = new Map<PromptBlock, PromptBlock>();
  for (const block of blocks.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    if (excessBytes <= 0 || block.cutRank === undefined) continue;
    const shorter = shorten(block, excessBytes);
    excessBytes -= sizeOf(block) - sizeOf(shorter);
    fitted.set(block, shorter);
  }
  return showAll(blocks.map((block) => fitted.get(block) ?? block));
}

function shorten(block: PromptBlock, excessBytes: number): PromptBlock {
  if (block.fit !== undefined) {
    const maxBytes = sizeOf(block) - byteLength(`${block.title}\n`) - excessBytes;
    return { ...block, ...block.fit(maxBytes) };
  }
  let excess = excessBytes + byteLength(leftOut(block.lines.length)) + 1;
  let dropped = 0;
  while (excess > 0 && dropped < block.lines.length) {
    excess -= byteLength(block.lines[dropped] ?? '') + 1;
    dropped += 1;
  }
  return { ...block, lines: [leftOut(dropped), ...block.lines.slice(dropped)] };
}

function rankOf({ cutRank }: PromptBlock): number {
  return cutRank ?? Number.POSITIVE_INFINITY;
}

function leftOut(count: number): string {
  return `(${count} older left out)`;
}

function sizeOf(block: PromptBlock): number {
  return byteLength(showAll([block]));
}

function showAll(blocks: readonly PromptBlock[]): string {
  return blocks
    .map(({ title, intro, lines }) => [title, ...(intro === undefined ? [] : [intro]), ...lines].join('\n'))
    .join('\n\n');
}
