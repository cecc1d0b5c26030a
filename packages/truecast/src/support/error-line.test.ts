/** Outputs of crashed programs, each with the line that names its error. */
import { expect, it } from 'vitest';
import { errorLine } from './error-line.ts';

const NODE = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/work/slow.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at Module.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:170:5) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.2.0
`;
const PYTHON = `Traceback (most recent call last):
  File "agent.py", line 3, in <module>
    main()
ValueError: no key
`;

it.each([
  ['Node', NODE, "Error: Cannot find module '/work/slow.mjs'"],
  [
    'Node, with a code',
    'TypeError [ERR_INVALID_ARG_TYPE]: The path\n    at x',
    'TypeError [ERR_INVALID_ARG_TYPE]: The path',
  ],
  ['Python', PYTHON, 'ValueError: no key'],
  [
    'Rust',
    "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with",
    "thread 'main' panicked at src/main.rs:2:5: no key",
  ],
  ['Go', 'starting\npanic: no key\n\ngoroutine 1 [running]:', 'panic: no key'],
  ['git', 'hint: x\nfatal: not a git repository\n', 'fatal: not a git repository'],
  ['colours', '\u001B[31merror: no key\u001B[0m\n  at x', 'error: no key'],
  ['a shell', 'sh: 1: claud: not found\n', 'sh: 1: claud: not found'],
  ['no line of an error', `${'.'.repeat(300)}the end`, `${'.'.repeat(193)}the end`],
  ['nothing', ' \n', ''],
])('of %s', (_name, output, line) => {
  expect(errorLine(output)).toBe(line);
});
