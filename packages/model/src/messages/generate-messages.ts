/** Messages of `generate()`: the AI SDK's `ModelMessage`, and the check of what is supported. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

interface Message<TRole extends string, TContent> {
  readonly role: TRole;
  readonly content: TContent;
  /** Passed to the provider. */
  readonly providerOptions?: object;
}

interface Part<TType extends string> {
  readonly type: TType;
  /** Passed to the provider. */
  readonly providerOptions?: object;
}

interface TextPart extends Part<'text' | 'reasoning'> {
  readonly text: string;
}

interface ImagePart extends Part<'image'> {
  /** Bytes, base64, a URL, or the provider's reference. */
  readonly image: unknown;
  readonly mediaType?: string;
}

interface FilePart extends Part<'file' | 'reasoning-file'> {
  /** Bytes, base64, a URL, or the provider's reference. */
  readonly data: unknown;
  readonly filename?: string;
  readonly mediaType: string;
}

interface ToolCallPart extends Part<'tool-call'> {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerExecuted?: boolean;
}

interface ToolResultPart extends Part<'tool-result'> {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: object;
}

/** Not supported: `generate()` has no tools to approve, and no part of one provider alone. */
type RefusedPart = Part<'custom' | 'tool-approval-request' | 'tool-approval-response'>;

/** A message of the conversation, as the AI SDK's `ModelMessage`. */
export type GenerateMessage =
  | Message<'system', string>
  | Message<'user', string | readonly (TextPart | ImagePart | FilePart)[]>
  | Message<
      'assistant',
      string | readonly (TextPart | FilePart | ToolCallPart | ToolResultPart | RefusedPart)[]
    >
  | Message<'tool', readonly (ToolResultPart | RefusedPart)[]>;

/** Types of parts by role. */
const PARTS: Readonly<Record<GenerateMessage['role'], readonly string[]>> = {
  system: [],
  user: ['text', 'image', 'file'],
  assistant: ['text', 'file', 'reasoning', 'reasoning-file', 'tool-call', 'tool-result'],
  tool: ['tool-result'],
};

/**
 * Rejects messages in another form than the AI SDK's, and parts that are not supported.
 *
 * @throws UsageError that names the message and the part
 */
export function assertMessages(messages: unknown): asserts messages is readonly GenerateMessage[] {
  if (!Array.isArray(messages)) {
    throw new UsageError(
      `Expected \`messages\` to be an array, got ${describeValue(messages)}. Write \`[{ role: 'user', content: 'How many?' }]\`.`,
    );
  }
  if (messages.length === 0) {
    throw new UsageError('Expected `messages` to contain a message, got none. Add one.');
  }
  messages.forEach((message: unknown, index) => assertMessage(message, `messages[${index}]`));
}

function assertMessage(message: unknown, name: string): void {
  const { role, content, parts }: Readonly<Record<string, unknown>> =
    typeof message === 'object' && message !== null ? { ...message } : {};
  if (typeof role !== 'string' || !Object.hasOwn(PARTS, role)) {
    throw new UsageError(
      `Expected \`${name}.role\` to be one of ${Object.keys(PARTS).join(', ')}, got ${describeValue(role)}. Pass a \`ModelMessage\` of the AI SDK.`,
    );
  }
  if (content === undefined && parts !== undefined) {
    throw new UsageError(
      `Expected \`${name}\` to have \`content\`, got a \`UIMessage\` with \`parts\`. Pass \`await convertToModelMessages(messages)\` of the AI SDK.`,
    );
  }
  const known = Object.entries(PARTS).find(([each]) => each === role)?.[1] ?? [];
  if (typeof content === 'string' && role !== 'tool') return;
  if (!Array.isArray(content) || role === 'system') {
    const expected = role === 'system' ? 'a string' : role === 'tool' ? 'an array' : 'a string or an array';
    throw new UsageError(
      `Expected \`${name}.content\` to be ${expected}, got ${describeValue(content)}. Pass a \`ModelMessage\` of the AI SDK.`,
    );
  }
  content.forEach((part: unknown, index) => assertPart(part, known, `${name}.content[${index}]`));
}

function assertPart(part: unknown, known: readonly string[], name: string): void {
  const type: unknown = typeof part === 'object' && part !== null && 'type' in part ? part.type : undefined;
  if (typeof type === 'string' && known.includes(type)) return;
  throw new UsageError(
    `Expected \`${name}.type\` to be one of ${known.join(', ')}, got ${describeValue(type)}. Leave the part out, or write it as text.`,
  );
}
