/**
 * Stream parser for Cursor's stream-json lines.
 *
 * system/init → session · assistant → text · tool_call started/completed → tools · result → end or
 * error
 */
import { z } from 'zod';
import type { AgentEvent, AgentStreamParser } from '../../ports/agent-provider.ts';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { createJsonLineParser } from '../stream/json-line-parser.ts';
import { isRecord } from '@truecast/core/internal/kit/is-record';

const text = z.string().optional().catch(undefined);

const textBlock = z.object({ type: z.literal('text'), text: z.string() }).transform((block) => block.text);
const otherBlock = z.unknown().transform(() => '');

const cursorLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('system'), subtype: z.literal('init'), session_id: z.string() }),
  z.object({
    type: z.literal('assistant'),
    message: z.object({ content: z.array(z.union([textBlock, otherBlock])) }),
  }),
  z.object({
    type: z.literal('tool_call'),
    subtype: z.enum(['started', 'completed']),
    call_id: text,
    tool_call: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal('result'),
    subtype: text,
    is_error: z.boolean().catch(false),
    result: text,
  }),
]);

type ToolLine = Extract<z.infer<typeof cursorLine>, { type: 'tool_call' }>;

const TYPES = ['"system"', '"assistant"', '"tool_call"', '"result"'];

export function createCursorStreamParser(): AgentStreamParser {
  return createJsonLineParser({
    mayMatter: (line) => TYPES.some((type) => line.includes(type)),
    readValue(value) {
      const line = cursorLine.safeParse(value);
      return line.success ? readLine(line.data) : [];
    },
  });
}

function readLine(line: z.infer<typeof cursorLine>): readonly AgentEvent[] {
  switch (line.type) {
    case 'system':
      return [{ type: 'session', sessionId: line.session_id }];
    case 'assistant': {
      const words = line.message.content.join('');
      return words === '' ? [] : [{ type: 'text', text: words }];
    }
    case 'tool_call':
      return readTool(line);
    case 'result': {
      const { subtype, is_error: isError, result } = line;
      if (!isError && (subtype ?? 'success') === 'success') {
        return [{ type: 'end', ...(result !== undefined && { text: result }) }];
      }
      return [{ type: 'error', message: result ?? subtype ?? 'The agent failed without a reason.' }];
    }
    default:
      return line satisfies never;
  }
}

/**
 * A single key names the tool and holds its call: `readToolCall`, or `function` for any other tool.
 */
function readTool({ subtype, call_id: id, tool_call: toolCall }: ToolLine): readonly AgentEvent[] {
  const [[key, call] = ['', undefined]] = Object.entries(toolCall).filter(([, value]) => isRecord(value));
  if (!isRecord(call)) return [];
  const named = id === undefined ? {} : { id };
  if (subtype === 'started') return [{ type: 'tool-call', ...named, ...describeCall(key, call) }];
  const { result } = call;
  const isError = isRecord(result) && !('success' in result);
  return [
    { type: 'tool-result', ...named, output: result === undefined ? '' : JSON.stringify(result), isError },
  ];
}

const TOOL_NAMES: Readonly<Record<string, string>> = {
  readToolCall: 'Read',
  writeToolCall: 'Write',
  shellToolCall: 'Bash',
};

function describeCall(
  key: string,
  call: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly input: unknown } {
  if (key !== 'function') {
    const name = Object.hasOwn(TOOL_NAMES, key) ? TOOL_NAMES[key] : undefined;
    return { name: name ?? key.replace(/ToolCall$/u, ''), input: call['args'] };
  }
  const { name, arguments: input } = call;
  return {
    name: typeof name === 'string' ? name : key,
    input: typeof input === 'string' ? (jsonValueOf(input) ?? input) : input,
  };
}
