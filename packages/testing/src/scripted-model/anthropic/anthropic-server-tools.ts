/**
 * Refusals of the Anthropic service for calls of its own tools: a result without its call, and a
 * call that lost its result. Pure.
 */
import { z } from 'zod';
import type { AnthropicBlock } from './anthropic-request.ts';

const serverBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('server_tool_use'), id: z.string(), name: z.string() }),
  z.object({ type: z.literal('web_search_tool_result'), tool_use_id: z.string() }),
]);

interface Turn {
  readonly index: number;
  readonly role: 'user' | 'assistant';
  readonly content: readonly AnthropicBlock[];
}

/**
 * Returns the service's error, or undefined. A call of the model's latest message can be open: the
 * service continues it.
 */
export function refusedServerTools(turns: readonly Turn[]): string | undefined {
  const latest = turns.findLast(({ role }) => role === 'assistant');
  const open = new Map<string, string>();
  for (const turn of turns.filter(({ role }) => role === 'assistant')) {
    for (const block of serverBlocks(turn)) {
      if (block.type === 'server_tool_use') open.set(block.id, block.name);
      else if (!open.delete(block.tool_use_id)) {
        return `messages.${turn.index}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${block.tool_use_id}`;
      }
    }
    const [lost] = turn === latest && isOpenEnded(turns) ? [] : open;
    if (lost !== undefined) {
      return `messages.${turn.index}: \`${lost[1]}\` tool use with id \`${lost[0]}\` was found without a corresponding \`${lost[1]}_tool_result\` block`;
    }
  }
  return undefined;
}

/** True if the last turn is the model's, or contains only tool results. */
function isOpenEnded(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return last?.role === 'assistant' || last?.content.every(({ type }) => type === 'tool_result') === true;
}

function serverBlocks({ content }: Turn): z.infer<typeof serverBlock>[] {
  return content.flatMap((block) => {
    const parsed = block.type === 'other' ? serverBlock.safeParse(block.raw) : undefined;
    return parsed?.success === true ? [parsed.data] : [];
  });
}
