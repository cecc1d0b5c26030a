/**
 * Replies of models, and the verdict on each at each level. The right answer is `{ "answer": 42 }`, of
 * a schema for that object alone.
 */

/** The verdict on a reply. */
export type ReplyVerdict = 'accepted' | 'refused';

/** Place of the answer in a reply. */
export type ReplyPlace = 'text' | 'arguments' | 'reasoning';

/** One reply. */
export interface TableReply {
  readonly name: string;
  readonly place: ReplyPlace;
  readonly said: string;
  readonly ending: 'stop' | 'length' | 'refusal';
  readonly strict: ReplyVerdict;
  readonly lenient: ReplyVerdict;
  /** Verdict on the text between tags. */
  readonly tagged: ReplyVerdict;
}

const RIGHT = '{"answer":42}';
const FENCE = '```';
const QUOTED = JSON.stringify(RIGHT);
const SCHEMA =
  '{"type":"object","properties":{"answer":{"type":"number"}},"required":["answer"],"additionalProperties":false}';

/** Accepted at each level, between tags too. */
const WHOLE_TEXTS: Readonly<Record<string, string>> = {
  exact: RIGHT,
  'spaces around it': `  \n${RIGHT}\t\n`,
  'spaces inside': '{ "answer" : 42 }',
  'lines inside': '{\n  "answer": 42\n}',
  'a mark of the byte order': `\uFEFF${RIGHT}`,
  'an escaped key': String.raw`{"\u0061nswer":42}`,
  'a fraction of nothing': '{"answer":42.0}',
  'an exponent': '{"answer":4.2e1}',
  'a fence': `${FENCE}json\n${RIGHT}\n${FENCE}`,
  'a fence without a language': `${FENCE}\n${RIGHT}\n${FENCE}`,
  'a fence in capitals': `${FENCE}JSON\n${RIGHT}\n${FENCE}`,
  'a long fence': `${FENCE}${FENCE}\n${RIGHT}\n${FENCE}${FENCE}`,
  'a fence on one line': `${FENCE}json ${RIGHT} ${FENCE}`,
};

/** Accepted at each level. Between tags, nothing is undone. */
const RIGHT_TEXTS: Readonly<Record<string, string>> = {
  'encoded twice': QUOTED,
  'an envelope': `{"output":${RIGHT}}`,
  'an envelope around a string': `{"output":${QUOTED}}`,
  'a string around an envelope': JSON.stringify(`{"output":${RIGHT}}`),
  'reasoning before it': `<think>Is it 41? {"answer":41}</think>${RIGHT}`,
  'the end of reasoning before it': `It is not 41.</think>\n${RIGHT}`,
  'reasoning in brackets': `[THINK]Hm.[/THINK]${RIGHT}`,
  'two blocks of reasoning': `<think>a</think><think>b</think>${RIGHT}`,
  'a final channel': `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>${RIGHT}`,
  'an end of the turn': `${RIGHT}<|im_end|>`,
  'an end of the sequence': `${RIGHT}</s>`,
  'two ends': `${RIGHT}<|eot_id|></s>`,
  'a call as text': `<tool_call>{"name":"submit_structured_output","arguments":${RIGHT}}</tool_call>`,
  'a call as text with its envelope': `<tool_call>{"name":"x","arguments":{"output":${RIGHT}}}</tool_call>`,
};

/** Accepted leniently only. */
const LENIENT_TEXTS: Readonly<Record<string, string>> = {
  'a sentence before it': `Sure! ${RIGHT}`,
  'a sentence after it': `${RIGHT} Enjoy!`,
  'a fence in prose': `Here:\n${FENCE}json\n${RIGHT}\n${FENCE}\nBye.`,
  'a heading': `# Answer\n\n${RIGHT}`,
  'it twice': `${RIGHT} or, again, ${RIGHT}`,
  'an object that does not fit before it': `I thought of {"answer":"?"}. ${RIGHT}`,
  'an object that does not fit after it': `${RIGHT} {"confidence":0.9}`,
  'a brace in prose before it': `Use { to open. ${RIGHT}`,
  'a set in prose before it': `One of {a, b}: ${RIGHT}`,
  'an unreadable object before it': `{"answer" 41} no: ${RIGHT}`,
  'a list around it': `[${RIGHT}]`,
  'a wrapper': `{"result":${RIGHT}}`,
  'a wrapper around a string': `{"result":${QUOTED}}`,
  'an envelope with more in it': `{"output":${RIGHT},"more":1}`,
  'three envelopes': `{"output":{"output":{"output":${RIGHT}}}}`,
  'a trailing comma': '{"answer":42,}',
  'single quotes': "{'answer':42}",
  'a bare key': '{answer:42}',
  'a comment': '{"answer":42 // so\n}',
  'typographic quotes': '{“answer”:42}',
  'reasoning and prose': `<think>41?</think>It is ${RIGHT}.`,
};

/** Refused at each level. */
const WRONG_TEXTS: Readonly<Record<string, string>> = {
  'a sentence': 'It is 42.',
  'a bare number': '42',
  'a number in a string': '"42"',
  null: 'null',
  true: 'true',
  'an empty object': '{}',
  'an empty list': '[]',
  'a text for a number': '{"answer":"42"}',
  'a word for a number': '{"answer":"forty-two"}',
  'null for a number': '{"answer":null}',
  'a list for a number': '{"answer":[42]}',
  'another key': '{"result":42}',
  'a key of another case': '{"Answer":42}',
  'a key too many': '{"answer":42,"note":"x"}',
  'a cut object': '{"answer":4',
  'a cut key': '{"ans',
  'an open object': '{"answer":42',
  'a missing value': '{"answer":}',
  'not a number': '{"answer":NaN}',
  'a number of no size': '{"answer":1e400}',
  'a leading zero': '{"answer":042}',
  'a plus': '{"answer":+42}',
  'a key twice': '{"answer":41,"answer":42}',
  'a key of prototypes': '{"answer":42,"__proto__":{"answer":1}}',
  'an answer beside a key twice': '{"x":1,"x":2,"best":{"answer":41}}',
  'prototypes of a constructor': '{"answer":42,"constructor":{"prototype":{}}}',
  'two different answers': `${RIGHT} or {"answer":41}`,
  'a draft and its correction': '{"answer":41}\nNo, better:\n{"answer":42}',
  'a draft before a broken answer': '{"answer":41}\nNo, better:\n{"answer" 42}',
  'an example before a cut answer': 'Such as {"answer":41}. So: {"answer":4',
  'a part of a broken object': '{"step":1 "best":{"answer":41}}',
  'a part of a broken list': '{"steps":[{"answer":41},{"answer":42}] "best":1}',
  'a part of a quotation': '{"text":"I said {"answer":41} then" "answer":42}',
  'a part of a cut object': '{"first":{"answer":41},"second":{"ans',
  'the sample of the prompt': '{"answer":…}',
  'the sample in quotes': '{"answer":"…"}',
  'the schema': SCHEMA,
  'only reasoning': `<think>${RIGHT}</think>`,
  'only an analysis': `<|channel|>analysis<|message|>${RIGHT}`,
  'nested too deeply': `${'['.repeat(5_000)}42${']'.repeat(5_000)}`,
  'a fence of another language': `${FENCE}python\nanswer = 42\n${FENCE}`,
  YAML: 'answer: 42',
  XML: '<answer>42</answer>',
  'a refusal in words': 'I cannot help with that.',
};

/** Arguments of the answer tool that are accepted at each level. */
const RIGHT_ARGUMENTS: Readonly<Record<string, string>> = {
  exact: `{"output":${RIGHT}}`,
  'spaces around them': `\n {"output": ${RIGHT} } `,
  'no envelope': RIGHT,
  'the answer encoded twice': `{"output":${QUOTED}}`,
  'all encoded twice': JSON.stringify(`{"output":${RIGHT}}`),
  'no envelope, encoded twice': QUOTED,
  'one more envelope': `{"output":{"output":${RIGHT}}}`,
  'a fence': `${FENCE}json\n{"output":${RIGHT}}\n${FENCE}`,
  'a mark of a template': `{"output":${RIGHT}}\n</tool_call>`,
  'an end of the turn': `{"output":${RIGHT}}<|im_end|>`,
};

const LENIENT_ARGUMENTS: Readonly<Record<string, string>> = {
  'a trailing comma': '{"output":{"answer":42,}}',
  'single quotes': "{'output':{'answer':42}}",
  'a key beside the envelope': `{"output":${RIGHT},"note":"x"}`,
  'a wrapper in the envelope': `{"output":{"result":${RIGHT}}}`,
  'prose before them': `Here: {"output":${RIGHT}}`,
};

const WRONG_ARGUMENTS: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'a list': '[42]',
  null: 'null',
  'an empty envelope': '{"output":{}}',
  'null in the envelope': '{"output":null}',
  'a text for a number': '{"output":{"answer":"42"}}',
  'a key too many': '{"output":{"answer":42,"note":"x"}}',
  'a cut end': '{"output":{"answer":42}',
  'an envelope twice': '{"output":{"answer":41},"output":{"answer":42}}',
  'two objects': `{"output":{"answer":41}}{"output":${RIGHT}}`,
  'a part of a broken object': '{"output":{"step":1 "best":{"answer":41}}}',
  'a draft before a broken answer': '{"output":{"answer":41}} no {"output":{"answer" 42}}',
  'a key of prototypes': '{"output":{"answer":42,"__proto__":{}}}',
  'the schema': `{"output":${SCHEMA}}`,
  'the schema without its envelope': SCHEMA,
};

type Verdicts = Pick<TableReply, 'strict' | 'lenient' | 'tagged'>;

const EACH: Verdicts = { strict: 'accepted', lenient: 'accepted', tagged: 'accepted' };
const BOTH: Verdicts = { ...EACH, tagged: 'refused' };
const LENIENTLY: Verdicts = { ...BOTH, strict: 'refused' };
const NEITHER: Verdicts = { ...LENIENTLY, lenient: 'refused' };

function rows(
  place: ReplyPlace,
  texts: Readonly<Record<string, string>>,
  verdicts: Verdicts,
  ending: TableReply['ending'] = 'stop',
): readonly TableReply[] {
  return Object.entries(texts).map(([name, said]) => ({
    name: ending === 'stop' ? name : `${name}, ${ending}`,
    place,
    said,
    ending,
    ...verdicts,
  }));
}

/** The table. */
export const REPLIES: readonly TableReply[] = [
  ...rows('text', WHOLE_TEXTS, EACH),
  ...rows('text', RIGHT_TEXTS, BOTH),
  ...rows('text', LENIENT_TEXTS, LENIENTLY),
  ...rows('text', WRONG_TEXTS, NEITHER),
  ...rows('text', { exact: RIGHT, 'white space after it': `${RIGHT}${'\n\n  '.repeat(40)}` }, EACH, 'length'),
  ...rows('text', { 'a cut answer': '{"answer":4', 'prose after it': `${RIGHT} but` }, NEITHER, 'length'),
  ...rows('text', { 'a withheld answer': RIGHT, 'a withheld half': '{"ans' }, NEITHER, 'refusal'),
  ...rows('arguments', RIGHT_ARGUMENTS, BOTH),
  ...rows('arguments', LENIENT_ARGUMENTS, LENIENTLY),
  ...rows('arguments', WRONG_ARGUMENTS, NEITHER),
  ...rows('arguments', { complete: `{"output":${RIGHT}}` }, BOTH, 'length'),
  ...rows('arguments', { 'a cut end': '{"output":{"answer":4' }, NEITHER, 'length'),
  ...rows('reasoning', { exact: RIGHT, 'a fence': `${FENCE}\n${RIGHT}\n${FENCE}` }, BOTH),
  ...rows('reasoning', { 'the answer in prose': `So ${RIGHT}` }, LENIENTLY),
  ...rows('reasoning', { prose: 'It could be 42.', 'a wrong one': '{"answer":"42"}' }, NEITHER),
];
