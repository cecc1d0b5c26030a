/** Signs of outcomes in terminal lines, in ASCII if the locale has no UTF-8. */

export type SignName = 'done' | 'failed' | 'warning' | 'note' | 'said';

const UTF8 = { done: '✓', failed: '×', warning: '▲', note: '·', said: '●' } as const;
const ASCII = { done: '+', failed: 'x', warning: '!', note: '-', said: '*' } as const;

/** Returns the signs for a locale. An unset locale counts as UTF-8, as in most containers. */
export function terminalSigns(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<SignName, string>> {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (name) => name !== undefined && name !== '',
  );
  return locale === undefined || /utf-?8/iu.test(locale) ? UTF8 : ASCII;
}
