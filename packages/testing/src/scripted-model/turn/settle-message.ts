/**
 * Resolves open choices of a scripted message: the shell tool, the native answer, and usage. Pure.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { argumentsText, type SettledBlock, type SettledMessage } from './model-wire.ts';
import type { MessageReply, ReplyBlock, ReplyUsage } from './scripted-reply.ts';
import type { ScriptedTurn } from './scripted-turn.ts';
import { shellCall } from './shell-tools.ts';

/** Tool that Claude Code adds for `--json-schema`. */
export const NATIVE_ANSWER_TOOL = 'StructuredOutput';

/** Approximate characters per token. Reported usage only has to be plausible and reproducible. */
const CHARS_PER_TOKEN = 4;

/** Server data for a scripted message. */
export interface SettleMessageOptions {
  readonly chunkChars: number;
  /** Length of the request's body. */
  readonly requestChars: number;
}

/**
 * Resolves `reply` for the client that posted `turn`.
 *
 * @throws UsageError `invalid-option` if the client offers no shell, or a chunk would be empty
 */
export function settleMessage(
  reply: MessageReply,
  turn: ScriptedTurn,
  options: SettleMessageOptions,
): SettledMessage {
  const chunkChars = reply.chunkChars ?? options.chunkChars;
  if (!Number.isInteger(chunkChars) || chunkChars < 1) {
    throw new UsageError(`Expected \`chunkChars\` to be a positive integer, got \`${chunkChars}\`.`);
  }
  const blocks = reply.blocks.map((block) => settleBlock(block, turn));
  return {
    model: turn.model,
    blocks,
    chunkChars,
    usage: settleUsage(reply.usage, blocks, options.requestChars),
    finishReason: reply.finishReason ?? 'stop',
  };
}

/** Estimates the tokens of a text of `chars` UTF-16 units. */
export function scriptedTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

function settleBlock(block: ReplyBlock, turn: ScriptedTurn): SettledBlock {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block;
    case 'web-search':
      if (turn.wire !== 'openai-chat-completions') return block;
      throw new UsageError(
        'Chat Completions does not support web search by the service. Use another wire, or `reply.tool(name, input)`.',
      );
    case 'tool': {
      const tool = turn.tools.find((offered) => offered.name === block.name);
      return { ...block, ...(tool !== undefined && { tool }) };
    }
    case 'shell':
      return settleShell(block.command, turn);
    case 'json':
    default: {
      const tool = turn.tools.find((offered) => offered.name === NATIVE_ANSWER_TOOL);
      return tool === undefined
        ? { type: 'text', text: JSON.stringify(block.value) }
        : { type: 'tool', name: tool.name, input: block.value, tool };
    }
  }
}

function settleShell(command: string, turn: ScriptedTurn): SettledBlock {
  const call = shellCall(turn.tools, command);
  if (call === undefined) {
    const offered = turn.tools.map((tool) => tool.name).join(', ');
    throw new UsageError(
      `The client offers no known shell tool; it offers: ${offered || 'none'}. Use \`reply.tool(name, input)\`.`,
    );
  }
  return { type: 'tool', name: call.tool.name, input: call.input, tool: call.tool };
}

function settleUsage(
  usage: ReplyUsage | undefined,
  blocks: readonly SettledBlock[],
  requestChars: number,
): Required<ReplyUsage> {
  const replyChars = blocks.reduce((sum, block) => sum + charsOf(block), 0);
  return {
    inputTokens: scriptedTokens(requestChars),
    outputTokens: Math.max(1, scriptedTokens(replyChars)),
    cacheCreationInputTokens: 0,
    cacheReadInputTokens: 0,
    ...usage,
  };
}

function charsOf(block: SettledBlock): number {
  if (block.type === 'tool') return block.name.length + argumentsText(block).length;
  return block.type === 'web-search' ? block.search.query.length : block.text.length;
}
