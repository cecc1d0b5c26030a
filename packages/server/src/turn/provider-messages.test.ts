import { describe, expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
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
  type UnnumberedRow,
  viewOf,
} from '../test-rows.ts';
import { providerMessages } from './provider-messages.ts';

/** Each message as one line. */
function shown(...rows: readonly UnnumberedRow[]): string[] {
  return providerMessages(viewOf(numbered(...rows))).map(({ role, content }) => {
    const parts =
      typeof content === 'string'
        ? [content]
        : content.map((part) => {
            if (part.type === 'text' || part.type === 'reasoning') return part.text;
            if (part.type === 'tool-call') return `${part.toolName}(${JSON.stringify(part.input)})`;
            return part.type === 'tool-result'
              ? `${part.toolName}=${JSON.stringify(part.output.value)}`
              : part.type;
          });
    return `${role}: ${parts.join(' ')}`;
  });
}

describe('a prompt', () => {
  it('contains texts, calls and results', () => {
    const web = [
      call('web', '{}', { provider_executed: true }),
      result('web', 'page', { provider_executed: true }),
    ];
    expect(
      shown(
        row('system', [{ type: 'text', text: 'be brief' }]),
        user('hi'),
        calls(
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'let me see' },
          call('read', '{"path":"a"}'),
        ),
        results(result('read', { lines: 2 })),
        calls(...web, { type: 'text', text: 'two' }),
      ),
    ).toEqual([
      'system: be brief',
      'user: hi',
      'assistant: hm let me see read({"path":"a"})',
      'tool: read={"lines":2}',
      'assistant: web({}) web="page" two',
    ]);
  });

  it('never contains the format of a request, nor its outcome', () => {
    const all = JSON.stringify(
      providerMessages(
        viewOf(numbered(asks({ name: 'MARKER' }), says('no'), corrects(), ended(), user('b'))),
      ),
    );
    expect(all).not.toMatch(/MARKER|request_id|response_format|outcome|schema/u);
  });

  it('never contains user-only messages', () => {
    const note = row('assistant', [{ type: 'text', text: 'note' }], { visibility: 'user' });
    expect(shown(user('a'), note, user('b'))).toEqual(['user: a', 'user: b']);
  });

  it('is the same with a request as without it', () => {
    expect(shown(asks())).toEqual(shown(user('q')));
  });

  it('starts with the latest summary', () => {
    expect(
      shown(user('old'), says('older'), ...compaction('q'), calls(call('read')), results(result('read'))),
    ).toEqual([
      'user: Summary of the conversation so far:\nso far',
      'user: q',
      'assistant: read({})',
      'tool: read="done"',
    ]);
  });

  it('omits messages that an edit removed, and empty messages', () => {
    expect(
      shown(
        user('a', { isDeleted: true }),
        user('b'),
        says(''),
        row('assistant', [{ type: 'reasoning', text: 'hm' }]),
      ),
    ).toEqual(['user: b']);
  });

  it('adds a synthetic result to a call without one, except provider-executed calls', () => {
    const interrupted = calls(call('read'), call('web', '{}', { provider_executed: true }));
    const [, , third] = providerMessages(viewOf(numbered(user('a'), interrupted, user('b'))));
    expect(third).toMatchObject({
      role: 'tool',
      content: [{ toolName: 'read', output: { type: 'error-text' } }],
    });
    expect(third?.content).toHaveLength(1);
  });

  it.each(['{"path":', '[1]', '7', '{"__proto__":1}'])(
    'replaces arguments that are not an object with an empty object: %s',
    (args) => {
      expect(shown(user('a'), calls(call('read', args)), results(result('read')))[1]).toBe(
        'assistant: read({})',
      );
    },
  );

  it('returns the provider metadata', () => {
    const meta = { anthropic: { signature: 's' } };
    const thought = row('assistant', [
      { type: 'reasoning', text: 'hm', provider_metadata: meta },
      { type: 'text', text: 'a' },
    ]);
    expect(providerMessages(viewOf(numbered(user('a'), thought)))[1]).toMatchObject({
      content: [{ providerOptions: meta }, {}],
    });
  });

  it('contains files as bytes or URL', () => {
    const files = row('user', [
      { type: 'file', media_type: 'image/png', data: 'AAAA', filename: 'a.png' },
      { type: 'file', media_type: 'image/png', url: 'https://example.invalid/b.png' },
      { type: 'file', media_type: 'image/png', url: 'no address' },
    ]);
    expect(providerMessages(viewOf(numbered(files)))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', data: 'AAAA', mediaType: 'image/png', filename: 'a.png' },
          { type: 'file', data: new URL('https://example.invalid/b.png'), mediaType: 'image/png' },
        ],
      },
    ]);
  });
});

describe('the answer of a request', () => {
  const exact = results(
    result(
      FINALIZER_NAME,
      { n: 9_007_199_254_740_992 },
      { result_text: '{"n":9007199254740993}', attempt: { code: 'ok' } },
    ),
  );

  it('is the assistant’s text in later turns, in canonical JSON with all digits', () => {
    expect(shown(asks(), submits, exact, ended('r1', 'succeeded'), user('change n'))).toEqual([
      'user: q',
      'assistant: {"n":9007199254740993}',
      'user: change n',
    ]);
  });

  it('is shown without its failed attempts', () => {
    const rows = [
      asks(),
      says('7'),
      corrects(),
      submits,
      rejected(),
      submits,
      accepted,
      ended('r1', 'succeeded'),
      user('b'),
    ];
    expect(shown(...rows)).toEqual(['user: q', 'assistant: 7', 'assistant: {"n":1}', 'user: b']);
  });

  it('is distinguished from another with the same call id', () => {
    const again = asks({ request_id: 'r2' });
    const one = results(
      result(FINALIZER_NAME, { n: 5 }, { result_text: '{"n":5}', attempt: { code: 'ok' } }),
    );
    expect(shown(asks(), submits, one, ended(), again, submits, accepted, ended('r2'), user('b'))).toEqual([
      'user: q',
      'assistant: {"n":5}',
      'user: q',
      'assistant: {"n":1}',
      'user: b',
    ]);
  });

  it('never comes back within its own turn', () => {
    expect(shown(asks(), submits, accepted).join()).not.toContain('tool:');
  });

  it('is included after its turn, so that a summary contains it', () => {
    expect(shown(asks(), submits, accepted, ended('r1', 'succeeded'))).toEqual([
      'user: q',
      'assistant: {"n":1}',
    ]);
  });

  it('that was rejected is shown in its own turn, with its errors', () => {
    expect(shown(asks(), submits, rejected())).toEqual([
      'user: q',
      `assistant: ${FINALIZER_NAME}({"output":{"n":1}})`,
      `tool: ${FINALIZER_NAME}="wrong"`,
    ]);
  });

  it('is asked for anew after a second reply without one', () => {
    expect(shown(asks(), submits, rejected(), says('7'), corrects())).toEqual(['user: q', 'user: again']);
  });

  it('shares a step with the model’s other text', () => {
    const both = row('assistant', [{ type: 'text', text: 'Done.' }, call(FINALIZER_NAME)], {
      step: stepFacts(),
    });
    expect(shown(asks(), both, accepted, ended(), user('b'))[1]).toBe('assistant: Done. {"n":1}');
  });
});

it('tells a model that the same call gave the same result three times', () => {
  const look = (): UnnumberedRow[] => [calls(call('look')), results(result('look', 'nothing'))];
  const other = [calls(call('look', '{"at":1}')), results(result('look', 'nothing'))];
  const lines = shown(asks(), ...look(), ...look(), ...other, ...look()).filter((line) => line.includes('='));
  expect(lines).toEqual([
    'tool: look="nothing"',
    'tool: look="nothing"',
    'tool: look="nothing"',
    expect.stringMatching(/^tool: look="nothing.{2,}You have this result already/u),
  ]);
  // An ordinary turn has no answer to bring forward.
  expect(shown(user('hi'), ...look(), ...look(), ...look()).join('\n')).not.toContain('already');
});
