import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { turnsOnDriver } from './attribute-lines.ts';
import type { Drivers } from './host-programs.ts';

const DRIVERS: Drivers = {
  filter: new Set(['clean', 'no\u00A0break']),
  diff: new Set(['shown']),
  merge: new Set(['own']),
};

function turnsOn(after: string, { before = '', top = '' } = {}): boolean {
  return turnsOnDriver({ before, after, macros: top }, DRIVERS);
}

describe('a line of attributes', () => {
  it.each([
    '*.bin diff=shown',
    '*.bin\tdiff=shown',
    '*.bin\rdiff=shown',
    '  *.bin   text diff=shown -merge',
    '*.bin diff=SHOWN',
    '* filter=clean\r',
    '*.txt merge=own',
    '"a b" filter=clean',
    String.raw`"a \"quoted\" b" filter=clean`,
    '[attr]mine filter=clean',
    '#no\n*.bin diff=shown',
    '\uFEFF*.bin diff=shown',
    '* filter=no\u00A0break',
  ])('turns on a driver: %j', (line) => {
    expect(turnsOn(line)).toBe(true);
  });

  it.each([
    '',
    '# *.bin diff=shown',
    '*.bin diff',
    '*.bin -diff',
    '*.bin diff=other',
    '*.bin filter=shown',
    '*.bin text eol=lf binary',
    'diff=',
    'shown clean own',
  ])('turns on none: %j', (line) => {
    expect(turnsOn(line)).toBe(false);
  });

  it.each([
    ['[attr]mine filter=clean', '* mine'],
    ['  [attr]mine filter=clean', '* mine'],
    ['"[attr]mine" filter=clean', '* mine'],
    ['"[attr] mine" filter=clean', '* mine'],
    ['\uFEFF[attr]mine filter=clean', '* mine'],
    ['[attr]one two\n[attr]two diff=shown', '* text one'],
  ])('turns on a driver by a macro of the top folder: %j', (top, line) => {
    expect(turnsOn(line, { top })).toBe(true);
    expect(turnsOn(`${top}\n${line}`, { before: top, top })).toBe(true);
    expect(turnsOn('* others', { top })).toBe(false);
  });

  it('ends with macros that name each other', () => {
    expect(turnsOn('* one', { top: '[attr]one two\n[attr]two one' })).toBe(false);
  });

  it('is not reported again when it was there before', () => {
    const before = '*.bin diff=shown\n* text';
    expect(turnsOn(`# said\n${before}\n*.md text`, { before })).toBe(false);
  });

  it('turns on a driver in every place and among every other line', () => {
    const line = fc.constantFrom('*.md text', '# said', '', '*.png binary', '[attr]x -diff', '"a b" eol=lf');
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (above, below) => {
        expect(turnsOn([...above, ...below].join('\n'))).toBe(false);
        expect(turnsOn([...above, 'a diff=shown', ...below].join('\n'))).toBe(true);
      }),
    );
  });
});
