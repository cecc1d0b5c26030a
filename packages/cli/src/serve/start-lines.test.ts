import { expect, it } from 'vitest';
import { terminalSigns } from 'truecast/internal/support/terminal-text';
import { logLines, terminalLines } from './start-lines.ts';

const FACTS = {
  url: 'http://127.0.0.1:4747',
  link: 'http://127.0.0.1:4747/#code=tcl_SECRET',
  hasToken: true,
  notePath: '/state/server.json',
  storePlace: '/state/truecast.sqlite',
  models: undefined,
  hasConsole: true,
};
const SIGNS = terminalSigns({ LANG: 'C.UTF-8' });

it('puts the link with the code first on a terminal, and warns that answers are scripted', () => {
  const [link, about, model, next, place] = terminalLines(FACTS, SIGNS).map(([text]) => text);
  expect(link).toBe('● http://127.0.0.1:4747/#code=tcl_SECRET');
  expect(about).toBe('  console, chats, OpenAI wire, API reference at /docs');
  expect(model).toMatch(
    /^▲ No model is connected: answers are scripted\. Connect one in the page, or start with `ANTHROPIC_API_KEY/u,
  );
  expect(next).toMatch(/within 10 minutes\. `.* link` prints another, and `.* token show` the token/u);
  expect(place).toBe('· Chats are stored in /state/truecast.sqlite. Press Ctrl+C to stop.');
});

it('writes the path of the token to a log, and neither the token nor the code', () => {
  const lines = logLines(FACTS);
  expect(lines).toContain('token: in /state/server.json');
  expect(lines.at(-1)).toBe('Serving at http://127.0.0.1:4747');
  expect(lines.join('\n')).toMatch(/^sign in: `.* link` prints a link$/mu);
  expect(lines.join('\n')).not.toContain('SECRET');
});

it('names the models, and the command that builds a missing console', () => {
  const facts = {
    ...FACTS,
    link: FACTS.url,
    hasToken: false,
    models: 'model: local:qwen3',
    hasConsole: false,
  };
  const lines = terminalLines(facts, SIGNS).map(([text]) => text);
  expect(lines[0]).toBe('● http://127.0.0.1:4747');
  expect(lines).toContain('· model: local:qwen3');
  expect(lines[1]).toContain('`npm run build`');
  expect(logLines(facts).join('\n')).toContain('`npm run build`');
});
