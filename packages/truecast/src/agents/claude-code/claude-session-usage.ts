/** Usage in a Claude Code session: the tokens of its last message. Pure. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import { parseJsonLine } from '../stream/json-line-parser.ts';
import { readClaudeCodeLine } from './claude-code-lines.ts';
import { usageOfTokens } from './claude-code-usage.ts';

/** Returns the usage of the last message in a session file. Undefined if no message has one. */
export function parseClaudeSessionUsage(content: string): Usage | undefined {
  for (const text of content.split('\n').toReversed()) {
    if (!text.startsWith('{') || !text.includes('"assistant"')) continue;
    const line = readClaudeCodeLine(parseJsonLine(text));
    if (line?.type === 'assistant' && line.message.usage !== undefined)
      return usageOfTokens(line.message.usage);
  }
  return undefined;
}
