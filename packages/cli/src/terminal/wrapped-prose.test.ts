/** Prose and text to copy on terminals of several widths, and the line of an accepted value. */
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tellSeal } from './describe-work.ts';
import { tell, tellToCopy, type Terminal } from './print.ts';

interface Screen extends Terminal {
  readonly lines: () => readonly string[];
}

/** A terminal of so many columns, or a pipe. */
function screen(columns?: number): Screen {
  const stderr = Object.assign(new PassThrough(), columns !== undefined && { isTTY: true, columns });
  const lines = (): readonly string[] =>
    stripVTControlCharacters(String(stderr.read())).trimEnd().split('\n');
  return { stdout: new PassThrough(), stderr, lines };
}

const PROSE = '  ▲ The file could not be read. Run `truecast allow .env` again, then the same command.';

describe('prose', () => {
  it('is wrapped between words, as far in as its text, and code in backticks is whole', () => {
    const terminal = screen(50);
    tell(`${PROSE}\nSecond.`, terminal, 'warning');
    expect(terminal.lines()).toEqual([
      '  ▲ The file could not be read. Run',
      '    `truecast allow .env` again, then the same',
      '    command.',
      'Second.',
    ]);
  });

  it('keeps a word that is longer than a line', () => {
    const terminal = screen(20);
    tell(`● http://127.0.0.1:4747/#token=${'x'.repeat(20)} is the link`, terminal);
    expect(terminal.lines()).toEqual([`● http://127.0.0.1:4747/#token=${'x'.repeat(20)}`, '  is the link']);
  });

  it('is one line in a file, and where it fits', () => {
    for (const terminal of [screen(), screen(100)]) {
      tell(PROSE, terminal);
      expect(terminal.lines()).toEqual([PROSE]);
    }
  });
});

describe('text to copy', () => {
  const COMMAND = 'git merge truecast/20261128-120000-fix-the-parser-of-dates';

  it.each([
    [undefined, [`To merge: ${COMMAND}`]],
    [80, [`To merge: ${COMMAND}`]],
    [60, ['To merge:', COMMAND]],
    [30, ['To merge:', COMMAND]],
  ])('is never cut or wrapped on %s columns', (columns, lines) => {
    const terminal = screen(columns);
    tellToCopy('To merge', COMMAND, terminal, 'aside');
    expect(terminal.lines()).toEqual(lines);
  });
});

describe('the seal', () => {
  const usage = { inputTokens: 300, outputTokens: 40, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

  it.each([
    [
      { attempts: 2, durationMs: 11_200, usage: { ...usage, costUsd: 0.021 } },
      'valid at attempt 2 · 12 s · 340 tokens, $0.02',
    ],
    [{ attempts: 1, durationMs: 800, usage }, 'valid at once · 1 s · 340 tokens'],
    [{ attempts: 1 }, 'valid at once'],
  ])('of %j has the attempts, and what is known of time and cost', (value, said) => {
    const terminal = screen();
    tellSeal(value, terminal);
    expect(terminal.lines()).toEqual([`✓ Sealed · ${said}`]);
  });
});
