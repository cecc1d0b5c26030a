/** Owns a prompt as blocks, and cutting it to a size: what may go goes line by line, the oldest first. Pure. */
import { byteLength, BYTES_PER_TOKEN } from './estimate-tokens.ts';

/** A part of a prompt under a heading. */
export interface PromptBlock {
  readonly title: string;
  /** Stands above the lines, and stays. */
  readonly intro?: string;
  /** Oldest first. */
  readonly lines: readonly string[];
  /** Blocks with the lower number lose their lines first; absent, the block is never cut. */
  readonly cutRank?: number;
}

/** Joins the blocks to a prompt of at most `maxTokens` by estimate, unless what is never cut is larger. */
export function fitBlocks(blocks: readonly PromptBlock[], maxTokens: number): string {
  let excessBytes = byteLength(showAll(blocks)) - maxTokens * BYTES_PER_TOKEN;
  const fitted = new Map<PromptBlock, PromptBlock>();
  for (const block of blocks.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    if (excessBytes <= 0 || block.cutRank === undefined) continue;
    excessBytes += byteLength(leftOut(block.lines.length)) + 1;
    let dropped = 0;
    while (excessBytes > 0 && dropped < block.lines.length) {
      excessBytes -= byteLength(block.lines[dropped] ?? '') + 1;
      dropped += 1;
    }
    fitted.set(block, { ...block, lines: [leftOut(dropped), ...block.lines.slice(dropped)] });
  }
  return showAll(blocks.map((block) => fitted.get(block) ?? block));
}

function rankOf({ cutRank }: PromptBlock): number {
  return cutRank ?? Number.POSITIVE_INFINITY;
}

function leftOut(count: number): string {
  return `(${count} older left out)`;
}

function showAll(blocks: readonly PromptBlock[]): string {
  return blocks
    .map(({ title, intro, lines }) => [title, ...(intro === undefined ? [] : [intro]), ...lines].join('\n'))
    .join('\n\n');
}
