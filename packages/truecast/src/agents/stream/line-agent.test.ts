/** Parses the streams of line-based agents. */
import { describe, expect, it } from 'vitest';
import type {
  AgentEvent,
  AgentProvider,
  ParsedStreamEvent,
  StreamAgentProvider,
} from '../../ports/agent-provider.ts';
import { claudeCode } from '../claude-code/claude-code.ts';
import { toStreamAgent } from './line-agent.ts';

const WORDS: Readonly<Record<string, ParsedStreamEvent[]>> = {
  hello: [{ type: 'text', text: 'Hello.' }],
  call: [{ type: 'tool_call', name: 'Bash', args: 'ls' }],
  done: [{ type: 'result', result: 'Done.' }],
  more: [{ type: 'result', result: 'Really done.' }],
  id: [{ type: 'session_id', sessionId: 's1' }],
};

const agent: AgentProvider = {
  name: 'lines',
  env: {},
  captureSessions: false,
  buildPrintCommand: ({ prompt }) => ({ command: 'cat', stdin: prompt }),
  parseStreamLine(line) {
    if (line === 'throw') throw new TypeError('parser');
    return WORDS[line] ?? [];
  },
};

function read(provider: StreamAgentProvider, stream: string): readonly AgentEvent[] {
  const parser = provider.createStreamParser();
  return [...Array.from(stream).flatMap((char) => parser.push(char)), ...parser.end()];
}

describe('an agent described by its lines', () => {
  it('reports its text, its calls and its session', () => {
    expect(read(toStreamAgent(agent), 'id\nhello\ncall\nhello\n')).toEqual([
      { type: 'session', sessionId: 's1' },
      { type: 'text', text: 'Hello.' },
      { type: 'tool-call', name: 'Bash', input: 'ls' },
      { type: 'tool-result', output: '', isError: false },
      { type: 'text', text: 'Hello.' },
      { type: 'end' },
    ]);
  });

  it('ends with the last result', () => {
    expect(read(toStreamAgent(agent), 'hello\ndone\nmore').at(-1)).toEqual({
      type: 'end',
      text: 'Really done.',
    });
  });

  it('ends with all that it printed where no line means anything', () => {
    expect(read(toStreamAgent(agent), 'plain\nwords\n')).toEqual([{ type: 'end', text: 'plain\nwords\n' }]);
  });

  it('closes a call that no words follow', () => {
    expect(read(toStreamAgent(agent), 'call\n').slice(-2)).toEqual([
      { type: 'tool-result', output: '', isError: false },
      expect.objectContaining({ type: 'end' }),
    ]);
  });

  it('continues after a line that makes its parser throw', () => {
    expect(read(toStreamAgent(agent), 'throw\nhello\n')).toContainEqual({ type: 'text', text: 'Hello.' });
  });

  it('is left alone when it reads a stream itself', () => {
    const provider = toStreamAgent(agent);
    expect(toStreamAgent(provider)).toBe(provider);
  });
});

describe('the line view of a built-in agent', () => {
  it('reads each line on its own', () => {
    const { parseStreamLine } = claudeCode();
    const init = '{"type":"system","subtype":"init","session_id":"s1"}';
    expect([parseStreamLine(init), parseStreamLine(init)]).toEqual([
      [{ type: 'session_id', sessionId: 's1' }],
      [{ type: 'session_id', sessionId: 's1' }],
    ]);
  });

  it('is not used by a run, unless the caller replaces it', () => {
    const builtIn = claudeCode();
    expect(toStreamAgent(builtIn)).toBe(builtIn);
    const replaced = toStreamAgent({ ...builtIn, parseStreamLine: (line) => agent.parseStreamLine(line) });
    expect(read(replaced, 'hello\n')).toContainEqual({ type: 'text', text: 'Hello.' });
    expect(replaced).toMatchObject({ program: 'claude', hasEndEvent: false });
  });

  it('is not used beside a stream parser of the caller', () => {
    const own = { ...claudeCode(), createStreamParser: () => ({ push: () => [], end: () => [] }) };
    expect(toStreamAgent(own)).toBe(own);
  });
});

it('keeps the methods of an agent that is an instance of a class', () => {
  class Lines implements AgentProvider {
    readonly name = 'class';
    readonly env = {};
    readonly captureSessions = false;
    buildPrintCommand(): { command: string } {
      return { command: this.name };
    }
    parseStreamLine(line: string): ParsedStreamEvent[] {
      return [{ type: 'text', text: `${this.name} ${line}` }];
    }
    hosts(): readonly string[] {
      return [this.name];
    }
  }
  const provider = toStreamAgent(new Lines());
  expect(provider.buildPrintCommand({ prompt: '', dangerouslySkipPermissions: true }).command).toBe('class');
  expect(provider.hosts?.({})).toEqual(['class']);
  expect(read(provider, 'a\n')[0]).toEqual({ type: 'text', text: 'class a' });
});
