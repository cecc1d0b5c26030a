/** Refusals of the Anthropic service for well-formed requests. Pure. */
import {
  type AnthropicMessage,
  type AnthropicRequest,
  type AnthropicTool,
  blocksOf,
} from './anthropic-request.ts';
import { refusedServerTools } from './anthropic-server-tools.ts';

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/u;
const TOP_LEVEL_UNIONS = ['oneOf', 'allOf', 'anyOf'] as const;

/** Returns the service's error, or undefined. */
export function anthropicRefusal(request: AnthropicRequest): string | undefined {
  const turns = joinTurns(request.messages);
  return refusedTools(request) ?? refusedMessages(turns) ?? refusedServerTools(turns);
}

function refusedTools({ tools = [], tool_choice: choice }: AnthropicRequest): string | undefined {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const refusal = refusedTool(tool, `tools.${index}.custom`);
    if (refusal !== undefined) return refusal;
    if (names.has(tool.name)) return 'tools: Tool names must be unique.';
    names.add(tool.name);
  }
  if (choice?.type === 'tool' && !names.has(choice.name ?? '')) {
    return `tool_choice: Tool '${choice.name ?? ''}' not found in provided tools`;
  }
  return undefined;
}

function refusedTool(tool: AnthropicTool, path: string): string | undefined {
  if (!TOOL_NAME.test(tool.name)) return `${path}.name: String should match pattern '${TOOL_NAME.source}'`;
  if (tool.input_schema === undefined) {
    // The service's own tools carry a dated type; `custom` is the default and needs a schema.
    return (tool.type ?? 'custom') === 'custom' ? `${path}.input_schema: Field required` : undefined;
  }
  if (tool.input_schema['type'] === undefined) return `${path}.input_schema.type: Field required`;
  if (tool.input_schema['type'] !== 'object') return `${path}.input_schema.type: Input should be 'object'`;
  const union = TOP_LEVEL_UNIONS.find((keyword) => tool.input_schema?.[keyword] !== undefined);
  return union === undefined
    ? undefined
    : `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
}

/** Consecutive messages that the service treats as one, with the index of the first. */
interface JoinedTurn {
  readonly index: number;
  readonly role: 'user' | 'assistant';
  readonly content: ReturnType<typeof blocksOf>;
}

/**
 * Merges adjacent messages of one role, as the service does. Instructions in the middle belong to
 * no turn.
 */
function joinTurns(messages: readonly AnthropicMessage[]): JoinedTurn[] {
  const turns: JoinedTurn[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') continue;
    const last = turns.at(-1);
    if (last?.role === role) {
      turns[turns.length - 1] = { ...last, content: [...last.content, ...blocksOf(content)] };
    } else {
      turns.push({ index, role, content: blocksOf(content) });
    }
  }
  return turns;
}

function refusedMessages(turns: readonly JoinedTurn[]): string | undefined {
  if (turns[0] === undefined) return 'messages: at least one message is required';
  if (turns[0].role !== 'user') return 'messages: first message must use the "user" role';
  const seen = new Set<string>();
  for (const [position, turn] of turns.entries()) {
    const refusal =
      refusedText(turn) ??
      refusedCalls(turn, turns[position + 1], seen) ??
      refusedResults(turn, turns[position - 1]);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusedText(turn: JoinedTurn): string | undefined {
  return turn.content.some((block) => block.type === 'text' && block.text === '')
    ? `messages.${turn.index}: text content blocks must be non-empty`
    : undefined;
}

function refusedCalls(turn: JoinedTurn, next: JoinedTurn | undefined, seen: Set<string>): string | undefined {
  const calls = turn.content.filter((block) => block.type === 'tool_use');
  if (calls.length > 0 && turn.role === 'user') {
    return `messages.${turn.index}: \`tool_use\` blocks can only be in \`assistant\` messages`;
  }
  for (const call of calls) {
    if (seen.has(call.id)) return `messages.${turn.index}: \`tool_use\` ids must be unique: ${call.id}`;
    seen.add(call.id);
  }
  const answered = leadingResultIds(next);
  const open = calls.filter((call) => !answered.has(call.id)).map((call) => call.id);
  return open.length === 0
    ? undefined
    : `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
        `${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

/**
 * Results count as an answer only if they come first: the service takes text before them as the
 * answer.
 */
function leadingResultIds(turn: JoinedTurn | undefined): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const block of turn?.content ?? []) {
    if (block.type !== 'tool_result') break;
    ids.add(block.tool_use_id);
  }
  return ids;
}

function refusedResults(turn: JoinedTurn, previous: JoinedTurn | undefined): string | undefined {
  const called = new Set(
    previous?.content.filter((block) => block.type === 'tool_use').map((block) => block.id),
  );
  for (const [position, block] of turn.content.entries()) {
    if (block.type !== 'tool_result') continue;
    const path = `messages.${turn.index}.content.${position}`;
    if (turn.role !== 'user') return `${path}: \`tool_result\` blocks can only be in \`user\` messages`;
    if (!called.has(block.tool_use_id)) {
      return (
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. ` +
        `Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      );
    }
    if (!called.delete(block.tool_use_id)) return undefined;
  }
  return undefined;
}
