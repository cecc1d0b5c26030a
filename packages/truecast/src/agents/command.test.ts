import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentEvent, StreamAgentProvider } from '../ports/agent-provider.ts';
import { command } from './command.ts';

const prompted = { prompt: "it's", dangerouslySkipPermissions: true };

function read(agent: StreamAgentProvider, chunks: readonly string[]): readonly AgentEvent[] {
  const parser = agent.createStreamParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

test('runs a shell command unchanged, with the prompt on stdin', () => {
  expect(command({ command: 'my-agent | tee log' }).buildPrintCommand(prompted)).toEqual({
    command: 'my-agent | tee log',
    stdin: "it's",
  });
});

test('quotes a program and its arguments, and knows the program', () => {
  const agent = command({ command: ['my-agent', '--say', 'a b'] });
  expect(agent.buildPrintCommand(prompted).command).toBe("my-agent --say 'a b'");
  expect(agent.program).toBe('my-agent');
  expect(agent.name).toBe('command');
});

test("passes the prompt as the last argument with `promptVia: 'argument'`", () => {
  expect(command({ command: 'my-agent', promptVia: 'argument' }).buildPrintCommand(prompted)).toEqual({
    command: String.raw`my-agent 'it'\''s'`,
  });
  expect(() =>
    command({ command: 'a', promptVia: 'argument' }).buildPrintCommand({
      ...prompted,
      prompt: 'x'.repeat(130_000),
    }),
  ).toThrow(/on stdin/);
});

test.each(['', '  ', []])('refuses %j, which is no command', (value) => {
  expect(() => command({ command: value })).toThrow(UsageError);
});

test('is judged by its exit code alone', () => {
  expect(command({ command: 'true' }).hasEndEvent).toBe(false);
});

test('emits stdout as text as it arrives', () => {
  const parser = command({ command: 'true' }).createStreamParser();
  expect(parser.push('one\ntw')).toEqual([{ type: 'text', text: 'one\ntw' }]);
  expect(parser.push('')).toEqual([]);
  expect(parser.end()).toEqual([]);
});

test('holds half of a surrogate pair until the other half comes', () => {
  const parser = command({ command: 'true' }).createStreamParser();
  expect(parser.push('a\uD83D')).toEqual([{ type: 'text', text: 'a' }]);
  expect(parser.push('\uDE00b')).toEqual([{ type: 'text', text: '😀b' }]);
  expect(parser.push('\uD83D')).toEqual([]);
  expect(parser.end()).toEqual([{ type: 'text', text: '\uD83D' }]);
});

test('any slicing of stdout joins to the same text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\uD83D', '\uDE00') })), (chunks) => {
      const events = read(command({ command: 'true' }), chunks);
      expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe(chunks.join(''));
    }),
  );
});

test('parses lines with a function that returns any number of events', () => {
  const agent = command({
    command: 'true',
    parse: (line) => (line === '' ? undefined : line === '2' ? [text('a'), text('b')] : text(line)),
  });
  expect(read(agent, ['on', 'e\n\n2\nlast'])).toEqual([text('one'), text('a'), text('b'), text('last')]);
});

test('turns what such a function throws into a warning', () => {
  const agent = command({
    command: 'true',
    parse: (line) => {
      throw new TypeError(line);
    },
  });
  expect(read(agent, ['x\n'])).toEqual([
    { type: 'warning', message: 'The `parse` given to `command()` threw: TypeError: x' },
  ]);
});

function text(value: string): AgentEvent {
  return { type: 'text', text: value };
}
