/** Inputs of structured output: what the agent prints, and what is taken from it. */
import { z } from 'zod';
import { Output, safeExtractOutput } from '../../packages/truecast/src/index.ts';
import type { Difference, OracleCase } from './oracle-case.ts';
import { objectOptions, printing, sandcastle, stringOptions, type SharedOutput } from './programs.ts';

const SCHEMA = z.object({ a: z.number() });
const TRANSFORM = z.object({ a: z.string().transform((text) => text.length) });
const LOOSE = z.looseObject({});

const OBJECTS: readonly (readonly [string, string, Difference?])[] = [
  ['one tag', '<result>{"a":1}</result>'],
  ['text around it', 'I think so.\n<result>{"a":1}</result>\nBye.'],
  ['spaces and newlines', '<result>\n  {"a": 1}\n</result>'],
  ['a json fence', '<result>\n```json\n{"a":1}\n```\n</result>'],
  ['a bare fence', '<result>\n```\n{"a":1}\n```\n</result>'],
  ['a fence of another language', '<result>\n```js\n{"a":1}\n```\n</result>'],
  ['prose around a fence', '<result>Here:\n```json\n{"a":1}\n```\n</result>'],
  ['two answers', '<result>{"a":1}</result> no: <result>{"a":2}</result>'],
  ['a wrong last answer', '<result>{"a":1}</result><result>{"a":"x"}</result>'],
  ['no tag', 'Nothing.'],
  ['an opening tag', '<result>{"a":1}', 'an answer that was cut off'],
  ['a closing tag', '{"a":1}</result>'],
  ['another tag', '<answer>{"a":1}</answer>'],
  ['another case', '<Result>{"a":1}</Result>'],
  ['an attribute', '<result id="1">{"a":1}</result>'],
  ['nothing in the tag', '<result></result>'],
  ['a trailing comma', '<result>{"a":1,}</result>'],
  ['a comment', '<result>{"a":1 /* one */}</result>'],
  ['single quotes', "<result>{'a':1}</result>"],
  ['two values', '<result>{"a":1}{"a":2}</result>'],
  ['NaN', '<result>{"a":NaN}</result>'],
  ['a wrong type', '<result>{"a":"1"}</result>'],
  ['a missing key', '<result>{}</result>'],
  ['an additional key', '<result>{"a":1,"b":2}</result>'],
  ['an array', '<result>[1]</result>'],
  ['null', '<result>null</result>'],
  [
    'a mention of the tag before',
    'I use <result> tags: <result>{"a":1}</result>',
    'a tag in prose or in a string',
  ],
  [
    'a cut answer after a whole one',
    '<result>{"a":1}</result> again: <result>{"a":',
    'an answer that was cut off',
  ],
  ['a fence on one line', '<result>```json {"a":1} ```</result>', 'one-line code fences'],
];

const OTHERS: readonly (readonly [string, string, Partial<SharedOutput>, Difference?])[] = [
  ['a transform', '<result>{"a":"four"}</result>', { schema: TRANSFORM }],
  [
    'a closing tag in a string',
    '<result>{"a":"</result>"}</result>',
    { schema: LOOSE },
    'a tag in prose or in a string',
  ],
  ['a nested object', '<result>{"a":{"b":[1,2,{"c":null}]}}</result>', { schema: LOOSE }],
  ['characters beyond ASCII', '<result>{"a":"é 😀"}</result>', { schema: LOOSE }],
  ['a tag with a dot', '<a.b>{"a":1}</a.b>', { tag: 'a.b' }],
  ['a string', '<result> some text </result>', { kind: 'string' }],
  ['a string with a fence', '<result>\n```\ncode\n```\n</result>', { kind: 'string' }],
  ['an empty string', '<result></result>', { kind: 'string' }],
  ['a string of several lines', '<result>\none\ntwo\n</result>', { kind: 'string' }],
  ['two strings', '<result>one</result><result>two</result>', { kind: 'string' }],
  ['no string', 'Nothing.', { kind: 'string' }],
];

/** Creates the cases. `cwd` is a repository. */
export function answerCases(cwd: string): OracleCase[] {
  const inputs = [...OBJECTS.map(([name, text, differs]) => [name, text, {}, differs] as const), ...OTHERS];
  return inputs.map(([name, text, changes, differs]): OracleCase => {
    const output: SharedOutput = { kind: 'object', tag: 'result', schema: SCHEMA, ...changes };
    return {
      input: `answer: ${name}`,
      async theirs() {
        return sandcastle
          .run({ cwd, script: printing(text), prompt: `Answer in <${output.tag}>.` }, output)
          .then(
            (result) => ({ output: result.output }),
            (error: { rawMatched?: string }) => ({ rawMatched: error.rawMatched }),
          );
      },
      async ours() {
        const definition =
          output.kind === 'object'
            ? Output.object(objectOptions(output))
            : Output.string(stringOptions(output));
        const result = await safeExtractOutput(text, definition);
        return result.success ? { output: result.output } : { rawMatched: result.error.rawMatched };
      },
      ...(differs !== undefined && { differs }),
    };
  });
}
