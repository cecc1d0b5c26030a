import { describe, expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ToolFacts } from '../contract/tools.ts';
import { FINALIZER_FACTS } from '../finalizer/finalizer-definition.ts';
import {
  accepted,
  asks,
  call,
  calls,
  compaction,
  corrects,
  ended,
  numbered,
  rejected,
  result,
  results,
  row,
  says,
  stepFacts,
  submits,
  user,
  viewOf,
  type UnnumberedRow,
} from '../test-rows.ts';
import { decide, type Decision, type TurnSettings } from './decide.ts';

const tool = (name: string, rest: Partial<ToolFacts> = {}): [string, ToolFacts] => [
  name,
  { name, kind: 'local', isExclusive: false, isStopAfter: false, readOnlyHint: false, ...rest },
];
const TOOLS = new Map([
  tool('read'),
  tool('ask_client', { kind: 'dynamic' }),
  tool('propose_plan', { isStopAfter: true }),
  tool('advisor', { isExclusive: true }),
]);
const SETTINGS: TurnSettings = {
  tools: new Map([...TOOLS, [FINALIZER_NAME, FINALIZER_FACTS]]),
  model: {
    takesTools: true,
    takesRequiredChoice: true,
    takesRequiredChoiceThinking: false,
    takesNativeSchema: true,
    isThinking: false,
    canStopThinking: true,
  },
  refused: [],
  isCompactionRequested: false,
};

type Settings = Partial<TurnSettings & { readonly planMode: boolean }>;

function decision(
  rows: readonly UnnumberedRow[],
  { planMode = false, ...settings }: Settings = {},
): Decision {
  return decide(viewOf(numbered(...rows), { planMode }), { ...SETTINGS, ...settings });
}

/** `type`, and the fields that distinguish it. */
function told(rows: readonly UnnumberedRow[], settings: Settings = {}): string {
  const next = decision(rows, settings);
  if (next.type === 'finish') return `finish ${next.reason}`;
  if (next.type === 'fail') return `fail ${next.error.reason ?? next.error.code} ${next.chatStatus}`;
  return next.type === 'call-model' ? ['call-model', next.way?.mode].filter(Boolean).join(' ') : next.type;
}

const invents = calls(call('nope'));
const noSuch = results(result('nope', 'There is no tool nope.', { is_error: true }));
const web = call('web', '{}', { provider_executed: true });
const reads = calls(call('read'));
const read = results(result('read'));
const times = (count: number, ...rows: readonly UnnumberedRow[]): UnnumberedRow[] =>
  Array.from({ length: count }, () => rows).flat();

describe('an ordinary turn', () => {
  it.each<[string, readonly UnnumberedRow[], string]>([
    ['of a new message calls the model', [user('hi')], 'call-model'],
    ['ends with text', [user('hi'), says('hello')], 'finish complete'],
    ['ends with nothing', [user('hi'), says('')], 'finish complete'],
    ['ends with text that was cut off', [user('hi'), says('hel', 'length')], 'finish complete'],
    ['runs the tools that the model called', [user('hi'), reads], 'execute-tools'],
    ['calls the model with their results', [user('hi'), reads, read], 'call-model'],
    ['waits for the client', [user('hi'), calls(call('ask_client'))], 'wait-for-client'],
    [
      'goes on with what the client sent',
      [user('hi'), calls(call('ask_client')), results(result('ask_client'))],
      'call-model',
    ],
    [
      'ends after a tool that ends it',
      [user('hi'), calls(call('propose_plan')), results(result('propose_plan'))],
      'finish stop-after',
    ],
    [
      'goes on after an error of that tool',
      [user('hi'), calls(call('propose_plan')), results(result('propose_plan', 'no', { is_error: true }))],
      'call-model',
    ],
    [
      'ends with a call that the provider has run',
      [user('hi'), row('assistant', [web], { step: stepFacts('stop') })],
      'finish complete',
    ],
    ['goes on where the provider paused', [user('hi'), calls(web)], 'call-model'],
    ['goes on after a summary', [user('hi'), reads, read, ...compaction('hi')], 'call-model'],
    ['stays finished after a summary', [user('hi'), says('hello'), ...compaction()], 'finish complete'],
    ['is that of the latest message', [user('hi'), says('hello'), user('more')], 'call-model'],
    ['does not begin without a message', [], 'finish ended'],
    ['does not begin again with what an edit cut off', [user('hi', { isDeleted: true })], 'finish ended'],
    [
      'runs a name that is no tool, so that the model is told',
      [user('hi'), calls(call('nothing'))],
      'execute-tools',
    ],
    ['ends when its steps are used up', [user('hi'), ...times(200, reads, read)], 'finish max-steps'],
    ['asks for no answer in any mode', [user('hi'), says('a'), user('b')], 'call-model'],
  ])('%s', (_name, rows, expected) => {
    expect(told(rows)).toBe(expected);
  });

  it('runs server tools first, and then waits for the client', () => {
    const both = calls(call('ask_client'), call('read'));
    expect(decision([user('hi'), both])).toMatchObject({
      type: 'execute-tools',
      calls: [{ tool_name: 'read' }],
    });
    expect(decision([user('hi'), both, read])).toMatchObject({
      type: 'wait-for-client',
      calls: [{ tool_name: 'ask_client' }],
    });
  });

  it('runs nothing of a batch with an exclusive tool, including client calls', () => {
    const next = decision([user('hi'), calls(call('ask_client'), call('advisor'), call('read'))]);
    expect(next).toMatchObject({
      type: 'execute-tools',
      calls: [],
      refused: [{ tool_name: 'ask_client' }, { tool_name: 'advisor' }, { tool_name: 'read' }],
    });
    expect(told([user('hi'), calls(call('advisor'))])).toBe('execute-tools');
  });
});

describe('the answer loop of a turn', () => {
  it('ends after three steps in a row with calls of tools that the turn does not have', () => {
    expect(told([asks(), ...times(2, invents, noSuch)])).toBe('call-model tool');
    expect(told([asks(), ...times(3, invents, noSuch)])).toBe('fail unknown_tool waiting');
    const between = [...times(2, invents, noSuch), reads, read, invents, noSuch];
    expect(told([asks(), ...between])).toBe('call-model tool');
  });

  it('offers only the answer in the last two steps', () => {
    const due = (done: number, maxSteps: number): unknown => {
      const work = Array.from({ length: done }).flatMap((_, index) => [
        reads,
        results(result('read', `${index}`)),
      ]);
      const next = decision([asks(), ...work], { maxSteps });
      return next.type === 'call-model' && next.way?.isAnswerDue;
    };
    expect([due(5, 8), due(6, 8), due(7, 8), due(0, 2)]).toEqual([undefined, true, true, undefined]);
  });

  it('offers only the answer after three steps that repeat the same call and its result', () => {
    const due = (...rows: readonly UnnumberedRow[]): unknown => {
      const next = decision([asks(), ...rows]);
      return next.type === 'call-model' && next.way?.isAnswerDue;
    };
    const other = results(result('read', 'b'));
    expect(due(...times(4, reads, read))).toBeUndefined();
    expect(due(...times(5, reads, read))).toBe(true);
    expect(due(...times(4, reads, read), reads, other)).toBeUndefined();
  });
});

describe('a batch with an exclusive tool', () => {
  it('stays one after a part of it is answered', () => {
    const batch = calls(call('advisor'), call('read'));
    expect(decision([user('hi'), batch, results(result('read'))])).toMatchObject({
      calls: [],
      refused: [{ tool_name: 'advisor' }],
    });
  });

  it('is not one if the provider ran the call with that name', () => {
    const batch = calls(call('advisor', '{}', { provider_executed: true }), call('read'));
    expect(decision([user('hi'), batch])).toMatchObject({ calls: [{ tool_name: 'read' }], refused: [] });
  });

  it('is refused next to a provider-executed call', () => {
    const batch = calls(call('advisor'), call('web', '{}', { provider_executed: true }));
    expect(decision([user('hi'), batch])).toMatchObject({ calls: [], refused: [{ tool_name: 'advisor' }] });
  });
});

describe('a turn with a request', () => {
  it.each<[string, readonly UnnumberedRow[], string]>([
    ['asks for a call of a tool at every step', [asks()], 'call-model tool'],
    ['and after tools too', [asks(), reads, read], 'call-model tool'],
    ['finishes with the answer', [asks(), submits, accepted], 'finish accepted'],
    [
      'is over once it has its outcome',
      [asks(), submits, accepted, ended('r1', 'succeeded')],
      'finish ended',
    ],
    ['asks again after text', [asks(), says('7'), corrects()], 'call-model tool'],
    ['asks again after an error of the finalizer', [asks(), submits, rejected()], 'call-model tool'],
    ['answers a call of the finalizer that has no result', [asks(), submits], 'execute-tools'],
    [
      'asks again after a tool that ends ordinary turns',
      [asks(), calls(call('propose_plan')), results(result('propose_plan'))],
      'call-model tool',
    ],
    [
      'asks again after a call that the provider has run',
      [asks(), calls(call('web', '{}', { provider_executed: true }))],
      'call-model tool',
    ],
    ['asks again below five texts in a row', [asks(), ...times(4, says('7'), corrects())], 'call-model tool'],
    [
      'fails with five texts in a row',
      [asks(), ...times(5, says('7'), corrects())],
      'fail text_only waiting',
    ],
    [
      'counts texts anew after any call',
      [asks(), ...times(4, says('7'), corrects()), reads, read, ...times(4, says('7'), corrects())],
      'call-model tool',
    ],
    [
      'counts texts anew after a failed finalizer',
      [asks(), ...times(4, says('7'), corrects()), submits, rejected(), ...times(4, says('7'), corrects())],
      'call-model tool',
    ],
    ['asks again below five invalid answers', [asks(), ...times(4, submits, rejected())], 'call-model tool'],
    [
      'fails with five invalid answers in all',
      [asks(), ...times(5, submits, rejected(), reads, read)],
      'fail validation_exhausted waiting',
    ],
    [
      'counts batches with the finalizer too',
      [asks(), ...times(5, submits, rejected('not_alone'))],
      'fail validation_exhausted waiting',
    ],
    ['fails with an answer of nothing', [asks(), says('')], 'fail empty_response waiting'],
    [
      'fails with an answer of thoughts only',
      [asks(), row('assistant', [{ type: 'reasoning', text: 'hm' }], { step: stepFacts() })],
      'fail empty_response waiting',
    ],
    ['says when thinking alone used up the output', [asks(), says('', 'length')], 'fail truncated waiting'],
    [
      'asks again after text that was cut off',
      [asks(), says('so,', 'length'), corrects()],
      'call-model tool',
    ],
    [
      'says when the last text was cut off',
      [asks(), ...times(4, says('7'), corrects()), says('7', 'length'), corrects()],
      'fail truncated waiting',
    ],
    [
      'says when the last answer was cut off',
      [
        asks(),
        ...times(4, submits, rejected()),
        { ...submits, step: stepFacts('length') },
        rejected('truncated'),
      ],
      'fail truncated waiting',
    ],
    ['fails when its steps are used up', [asks(), ...times(200, reads, read)], 'fail step_budget waiting'],
    [
      'succeeds with the last of its steps',
      [asks(), ...times(199, reads, read), submits, accepted],
      'finish accepted',
    ],
    [
      'fails when its format cannot be used',
      [asks({ schema_text: '{' })],
      'fail configuration_error waiting',
    ],
    ['survives a summary', [asks(), reads, read, ...compaction('q')], 'call-model tool'],
    ['fails in plan mode', [asks({}, { planMode: true })], 'fail configuration_error waiting'],
  ])('%s', (_name, rows, expected) => {
    expect(told(rows)).toBe(expected);
  });

  it('can have its own lower limits', () => {
    const limits = { text_only: 1, max_repairs: 2 };
    expect(told([asks({ limits }), says('7'), corrects()])).toBe('fail text_only waiting');
    expect(told([asks({ limits }), submits, rejected()])).toBe('call-model tool');
    expect(told([asks({ limits }), ...times(2, submits, rejected())])).toBe(
      'fail validation_exhausted waiting',
    );
  });

  it("fails when the chat's plan mode was switched on in between, and runs when the message switched it off", () => {
    expect(told([asks()], { planMode: true })).toBe('fail configuration_error waiting');
    expect(told([asks({}, { planMode: false })], { planMode: true })).toBe('call-model tool');
  });

  it('forces a call of a thinking model on its last try', () => {
    const model = { ...SETTINGS.model, isThinking: true };
    expect(told([asks(), ...times(3, says('7'), corrects())], { model })).toBe('call-model tool_auto');
    for (const rows of [
      [asks(), ...times(4, says('7'), corrects())],
      [asks(), ...times(4, submits, rejected())],
      [asks(), ...times(199, reads, read)],
    ]) {
      expect(decision(rows, { model })).toMatchObject({
        way: { mode: 'tool', stopsThinking: true },
      });
    }
  });

  it('decodes under the schema if the finalizer is the only tool', () => {
    const model = { ...SETTINGS.model, takesRequiredChoice: false };
    const tools = new Map([[FINALIZER_NAME, FINALIZER_FACTS]]);
    expect(told([asks()], { model, tools })).toBe('call-model native');
    expect(told([asks()], { model })).toBe('call-model tool_auto');
  });

  it('fails at once with an unusable model', () => {
    const model = { ...SETTINGS.model, takesTools: false, takesNativeSchema: false };
    expect(told([asks()], { model })).toBe('fail configuration_error waiting');
    expect(told([user('hi')], { model })).toBe('call-model');
  });

  it('states what to do, for each reason', () => {
    const failures = [
      [asks(), ...times(5, says('7'), corrects())],
      [asks(), ...times(5, submits, rejected())],
      [asks(), ...times(200, reads, read)],
      [asks(), says('')],
      [asks(), says('', 'length')],
    ].map((rows) => decision(rows));
    const messages = failures.map((next) => (next.type === 'fail' ? next.error.message : ''));
    expect(new Set(messages).size).toBe(5);
    for (const message of messages) expect(message).toMatch(/\. (?:Send|Ask|Read|Raise)/u);
  });
});

describe('the context', () => {
  const used = (inputTokens: number): UnnumberedRow =>
    row('assistant', [call('read')], {
      step: stepFacts('tool_calls', {
        usage: { inputTokens, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 },
      }),
    });
  const limit = { contextLimitTokens: 1_000 };

  it.each<[string, readonly UnnumberedRow[], string]>([
    ['that has room is left alone', [user('hi'), used(799), read], 'call-model'],
    ['that is nearly full is summarized', [user('hi'), used(800), read], 'compact'],
    [
      'is not judged before the first step after a summary',
      [user('hi'), used(900), read, ...compaction('hi')],
      'call-model',
    ],
    [
      'is summarized again when it fills again',
      [user('hi'), ...compaction('hi'), used(100), read, used(900), read],
      'compact',
    ],
    [
      'that a summary did not help is the end',
      [user('hi'), ...compaction('hi'), used(900), read],
      'fail configuration_error error',
    ],
    [
      'that a summary did not help ends a request, and not the chat',
      [asks(), ...compaction('q'), used(900), read],
      'fail configuration_error waiting',
    ],
    ['is not looked at when a turn is over', [user('hi'), used(900), read, says('bye')], 'finish complete'],
    ['is not looked at while calls are open', [user('hi'), used(900)], 'execute-tools'],
  ])('%s', (_name, rows, expected) => {
    expect(told(rows, limit)).toBe(expected);
  });

  it('is summarized on request, even after a turn, but not while calls are open', () => {
    const asked = { isCompactionRequested: true };
    expect(told([user('hi'), says('hello')], asked)).toBe('compact');
    expect(told([user('hi'), reads, read], asked)).toBe('compact');
    expect(told([user('hi'), reads], asked)).toBe('execute-tools');
    expect(told([user('hi'), calls(call('ask_client'))], asked)).toBe('wait-for-client');
    expect(told([asks(), submits, accepted], asked)).toBe('finish accepted');
    expect(told([asks(), submits, accepted, ended()], asked)).toBe('compact');
  });
});
