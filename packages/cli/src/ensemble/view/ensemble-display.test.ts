import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { createEnsembleDisplay } from './ensemble-display.ts';

afterEach(() => vi.unstubAllEnvs());

it('shows who is thinking in a live terminal, and the end of their words', async () => {
  for (const name of ['CI', 'NO_COLOR']) vi.stubEnv(name, '');
  vi.stubEnv('TERM', 'xterm');
  let seen = '';
  let onWords = (): void => undefined;
  const shown = new Promise<void>((resolve) => (onWords = resolve));
  const stream = new Writable({
    write(chunk, _encoding, callback) {
      seen += stripVTControlCharacters(String(chunk));
      if (/ada \d+ s “…[^”]*the lamp\s+hums\.”, bob \d+ s/u.test(seen)) onWords();
      callback();
    },
  });
  const display = createEnsembleDisplay(Object.assign(stream, { isTTY: true, columns: 200 }), {});
  display.asking('ada', 1);
  display.asking('bob', 1);
  display.saying?.('ada', `${'x'.repeat(60)} \u001B[31mthe lamp hums.`);
  await shown;
  display.close();
  expect(seen).not.toContain('x'.repeat(41));
});

it('previews nothing where no one watches', () => {
  const stream = new Writable({ write: (_chunk, _encoding, callback) => callback() });
  expect(createEnsembleDisplay(stream, {}).saying).toBeUndefined();
});
