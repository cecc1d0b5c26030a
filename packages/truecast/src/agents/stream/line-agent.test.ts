/** Parses the streams of line-based agents. */
import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentProvider } from '../../ports/agent-provider.ts';
import { toAgentProvider, type LineAgentProvider, type ParsedStreamEvent } from './line-agent.ts';

const WORDS: Readonly<Record<string, readonly ParsedStreamEvent[]>> = {
  hello: [{ type: 'text', text: 'Hello.' }],
  call: [{ type: 'tool_call', name: 'Bash', args: 'ls' }],
  done: [{ type: 'result', result: 'Done.' }],
  more: [{ type: 'result', result: 'Really done.' }],
  id: [{ type: 'session_id', sessionId: 's1' }],
};

const agent: LineAgentProvider = {
  name: 'lines',
  env: {},
  captureSessions: false,
  buildPrintCommand: ({ prompt }) => ({ command: 'cat', stdin: prompt }),
  parseStreamLine(line) {
    if (line === 'throw') throw new TypeError('parser');
    return WORDS[line] ?? [];
  },
};

function read(provider: AgentProvider, stream: string): readonly AgentEvent[] {
  const parser = provider.createStreamParser();
  return [...Array.from(stream).flatMap((char) => parser.push(char)), ...parser.end()];
}

describe('an agent described by its lines', () => {
  it('reports its text, its calls and its session', () => {
    expect(read(toAgentProvider(agent), 'id\nhello\ncall\nhello\n')).toEqual([
      { type: 'session', sessionId: 's1' },
      { type: 'text', text: 'Hello.' },
      { type: 'tool-call', name: 'Bash', input: 'ls' },
      { type: 'tool-result', output: '', isError: false },
      { type: 'text', text: 'Hello.' },
      { type: 'end' },
    ]);
  });

  it('ends with the last result', () => {
    expect(read(toAgentProvider(agent), 'hello\ndone\nmore').at(-1)).toEqual({
      type: 'end',
      text: 'Really done.',
    });
  });

  it('ends with all that it printed where no line means anything', () => {
    expect(read(toAgentProvider(agent), 'plain\nwords\n')).toEqual([{ type: 'end', text: 'plain\nwords\n' }]);
  });

  it('closes a call that no words follow', () => {
    expect(read(toAgentProvider(agent), 'call\n').slice(-2)).toEqual([
      { type: 'tool-result', output: '', isError: false },
      expect.objectContaining({ type: 'end' }),
    ]);
  });

  it('continues after a line that makes its parser throw', () => {
    expect(read(toAgentProvider(agent), 'throw\nhello\n')).toContainEqual({ type: 'text', text: 'Hello.' });
  });

  it('is left alone when it reads a stream itself', () => {
    const provider = toAgentProvider(agent);
    expect(toAgentProvider(provider)).toBe(provider);
  });
});
