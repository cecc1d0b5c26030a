import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { matrixRuns } from '../../../../test/matrix.ts';
import type { Receipt } from '@truecast/client/internal/wire/receipt';
import type { RowFinish, RowMode, MessageRow, RowPart } from '../contract/rows.ts';
import type { ToolFacts } from '../contract/tools.ts';
import { FINALIZER_FACTS } from '../finalizer/finalizer-definition.ts';
import { settleStep } from '../finalizer/settle-step.ts';
import { call, formatPart, result, row, stepFacts, user, viewOf, type UnnumberedRow } from '../test-rows.ts';
import { compactionRows } from './compaction.ts';
import { decide, type Decision, type TurnSettings } from './decide.ts';
import { endRequest, type RequestEnding } from './end-request.ts';
import { providerMessages } from './provider-messages.ts';

/** Marker in all text of clients and models, and in no other text. */
const CLIENT_MARK = 'CLIENTMARK';
const MODEL_MARK = 'MODELMARK';

const SCHEMA = {
  type: 'object',
  title: CLIENT_MARK,
  properties: { n: { type: 'integer', minimum: 1 }, note: { type: 'string', maxLength: 3 } },
  required: ['n'],
};
const MAX_STEPS = 14;

const facts = (name: string, rest: Partial<ToolFacts> = {}): [string, ToolFacts] => [
  name,
  { name, kind: 'local', isExclusive: false, isStopAfter: false, readOnlyHint: false, ...rest },
];
const SETTINGS: TurnSettings = {
  tools: new Map([
    facts('read'),
    facts('ask', { kind: 'dynamic' }),
    facts('plan', { isStopAfter: true }),
    [FINALIZER_NAME, FINALIZER_FACTS],
  ]),
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
  maxSteps: MAX_STEPS,
};

/** One reply of a model, whatever the prompt. */
interface Move {
  readonly parts: readonly RowPart[];
  readonly finishReason: RowFinish;
  /** A summary is created before the model is called. */
  readonly compacts: boolean;
}

const hand = (output: unknown): RowPart => call(FINALIZER_NAME, JSON.stringify({ output }));
const valid = hand({ n: 7 });
const steps: fc.Arbitrary<readonly RowPart[]> = fc.constantFrom<readonly RowPart[]>(
  [{ type: 'text', text: `It is 7, ${MODEL_MARK}.` }],
  [{ type: 'text', text: `It is 7, ${MODEL_MARK}.` }],
  [],
  [{ type: 'reasoning', text: MODEL_MARK }],
  [valid],
  [{ type: 'text', text: 'here' }, valid],
  [hand({ n: 0, note: MODEL_MARK })],
  [hand({ n: MODEL_MARK })],
  [hand(MODEL_MARK)],
  [hand({ output: { n: MODEL_MARK } })],
  [call(FINALIZER_NAME, `{"output":{"n":1,"n":"${MODEL_MARK}"}}`)],
  [call(FINALIZER_NAME, `{"output":{"n":"${MODEL_MARK}`)],
  [valid, call('read')],
  [call('ask'), valid],
  [valid, { ...call(FINALIZER_NAME, '{"output":{"n":8}}'), tool_call_id: 'second' }],
  [call('web', '{}', { provider_executed: true }), valid],
  [call('read', `{"path":"${MODEL_MARK}"}`)],
  [call('read'), call('ask')],
  [call('plan')],
  [call('nothing')],
);
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    parts: steps,
    finishReason: fc.constantFrom<RowFinish>('stop', 'tool_calls', 'tool_calls', 'length', 'content_filter'),
    compacts: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);
const limits = fc.record({
  text_only: fc.integer({ min: 1, max: 5 }),
  max_repairs: fc.integer({ min: 1, max: 5 }),
});

/** The final state of a simulated chat. */
interface Played {
  readonly rows: readonly MessageRow[];
  /** Each decision, with the number of rows at that time. */
  readonly decisions: readonly { readonly count: number; readonly decision: Decision }[];
  readonly prompts: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly modelCalls: number;
}

/**
 * Simulates one turn after rows of earlier ones, as a server would: one commit per step and per
 * batch.
 */
function play(before: readonly UnnumberedRow[], script: readonly Move[], requestId: string): Played {
  let rows: readonly MessageRow[] = [];
  const commit = (...added: readonly UnnumberedRow[]): void => {
    // Converts the rows as the store does.
    const stored: unknown = JSON.parse(
      JSON.stringify([...rows, ...added].map((one, index) => ({ ...one, id: index + 1 }))),
    );
    rows = stored as readonly MessageRow[];
  };
  commit(...before);
  const decisions: { count: number; decision: Decision }[] = [];
  const prompts: string[] = [];
  const receipts: Receipt[] = [];
  let modelCalls = 0;
  const end = (ending: RequestEnding): void => {
    const ended = endRequest(viewOf(rows), ending, { requestId, schemaHash: 'h', durationMs: 1 });
    receipts.push(ended.receipt);
    commit(row('assistant', [ended.outcome], { visibility: 'user' }));
  };
  for (let guard = 0; guard < 500; guard += 1) {
    const decision = decide(viewOf(rows), SETTINGS);
    decisions.push({ count: rows.length, decision });
    switch (decision.type) {
      case 'finish': {
        if (decision.reason === 'accepted') end({ type: 'accepted' });
        return { rows, decisions, prompts, receipts, modelCalls };
      }
      case 'fail':
        end({ type: 'failed', error: decision.error });
        return { rows, decisions, prompts, receipts, modelCalls };
      case 'execute-tools': {
        const ran = decision.calls.map(({ tool_name, tool_call_id }) => ({
          ...result(tool_name),
          tool_call_id,
        }));
        commit(row('tool', [...ran, ...decision.refused]));
        break;
      }
      case 'wait-for-client':
        commit(
          row(
            'tool',
            decision.calls.map(({ tool_name, tool_call_id }) => ({ ...result(tool_name), tool_call_id })),
          ),
        );
        break;
      case 'compact':
        break;
      case 'call-model': {
        const move = script[modelCalls % script.length]!;
        if (move.compacts) {
          commit(
            ...compactionRows(viewOf(rows), 'S').map((one) => ({ ...one, chatId: 'c', isDeleted: false })),
          );
        }
        prompts.push(JSON.stringify(providerMessages(viewOf(rows))));
        modelCalls += 1;
        commitStep(move, decision.way?.mode ?? 'tool', commit, rows);
        break;
      }
      default:
        decision satisfies never;
    }
  }
  throw new RangeError('the turn does not end');
}

function commitStep(
  { parts, finishReason }: Move,
  mode: RowMode,
  commit: (...rows: readonly UnnumberedRow[]) => void,
  rows: readonly MessageRow[],
): void {
  const active = viewOf(rows).activeRequest;
  const step = stepFacts(finishReason, { mode });
  if (active.type !== 'open') {
    commit(row('assistant', parts, { step }));
    return;
  }
  const settled = settleStep({ parts, finishReason, mode }, active.request);
  commit(
    row('assistant', settled.assistant, { step }),
    ...(settled.results.length > 0 ? [row('tool', settled.results)] : []),
    ...(settled.corrective === undefined
      ? []
      : [row('user', [settled.corrective], { visibility: 'model' as const })]),
  );
}

function asked(
  requestLimits: { readonly text_only: number; readonly max_repairs: number },
  requestId = 'REQUESTMARK',
): UnnumberedRow {
  const format = formatPart({
    request_id: requestId,
    name: CLIENT_MARK,
    schema_text: JSON.stringify(SCHEMA),
    limits: requestLimits,
  });
  return row('user', [{ type: 'text', text: 'q' }, format], { requestId });
}

const isValid = new Ajv().compile(SCHEMA);

describe('for any model, a turn with a request', () => {
  it('ends within its steps with exactly one receipt, a valid value or a reason', () => {
    fc.assert(
      fc.property(moves, limits, (script, requestLimits) => {
        const { rows, receipts, modelCalls } = play([asked(requestLimits)], script, 'REQUESTMARK');
        const [receipt] = receipts;
        expect(receipts).toHaveLength(1);
        expect(modelCalls).toBeLessThanOrEqual(MAX_STEPS);
        expect(viewOf(rows).activeRequest.type).toBe('closed');
        if (receipt?.status === 'succeeded') {
          expect(isValid(receipt.value)).toBe(true);
          expect(receipt.attempts.at(-1)?.code).toBe('ok');
        } else {
          expect(receipt?.error?.reason).toBeDefined();
          expect(receipt?.attempts.some(({ code }) => code === 'ok')).toBe(false);
        }
        const codes = receipt?.attempts.map(({ code }) => code) ?? [];
        const rejections = codes.filter((code) => !['ok', 'text_only', 'empty'].includes(code));
        expect(rejections.length).toBeLessThanOrEqual(requestLimits.max_repairs);
      }),
      { numRuns: matrixRuns(50, 300) },
    );
  });

  it('decides the same from any prefix of its rows', () => {
    fc.assert(
      fc.property(moves, limits, (script, requestLimits) => {
        const { rows, decisions } = play([asked(requestLimits)], script, 'REQUESTMARK');
        for (const { count, decision } of decisions) {
          expect(decide(viewOf(rows.slice(0, count)), SETTINGS)).toEqual(decision);
        }
      }),
      { numRuns: matrixRuns(20, 100) },
    );
  });

  it('shows a model no internal data, and no answer within its turn', () => {
    fc.assert(
      fc.property(moves, limits, (script, requestLimits) => {
        const { prompts } = play([asked(requestLimits)], script, 'REQUESTMARK');
        for (const prompt of prompts) {
          expect(prompt).not.toMatch(
            /CLIENTMARK|REQUESTMARK|response_format|"outcome"|request_id|result_text/u,
          );
        }
      }),
      { numRuns: matrixRuns(30, 200) },
    );
  });

  it('repeats no value in an error', () => {
    fc.assert(
      fc.property(moves, limits, (script, requestLimits) => {
        const { rows, receipts } = play([asked(requestLimits)], script, 'REQUESTMARK');
        const told = rows.flatMap(({ parts }) =>
          parts.filter(
            (part) =>
              (part.type === 'tool_result' && part.is_error) ||
              part.type === 'corrective' ||
              part.type === 'outcome',
          ),
        );
        expect(JSON.stringify([told, receipts])).not.toMatch(/MODELMARK|CLIENTMARK/u);
      }),
      { numRuns: matrixRuns(30, 200) },
    );
  });

  it('is not visible to later turns, with its prompt or without', () => {
    fc.assert(
      fc.property(moves, moves, limits, (first, second, requestLimits) => {
        const { rows } = play([asked(requestLimits)], first, 'REQUESTMARK');
        const plain = play([...rows, user('more')], second, 'none');
        expect(plain.receipts).toEqual([]);
        expect(viewOf(plain.rows).activeRequest.type).toBe('none');
        const again = play([...rows, asked(requestLimits, 'r2')], second, 'r2');
        expect(again.receipts).toHaveLength(1);
        expect(again.receipts[0]?.request_id).toBe('r2');
        for (const prompt of again.prompts) expect(prompt).not.toMatch(/CLIENTMARK|REQUESTMARK/u);
      }),
      { numRuns: matrixRuns(20, 100) },
    );
  });
});

it('an ordinary turn has no receipt, and requests no answer by any mode', () => {
  fc.assert(
    fc.property(moves, (script) => {
      const plain = play([user('q')], script, 'none');
      expect(plain.receipts).toEqual([]);
      expect(plain.modelCalls).toBeLessThanOrEqual(MAX_STEPS);
      expect(
        plain.decisions.every(({ decision }) => decision.type !== 'call-model' || decision.way === undefined),
      ).toBe(true);
    }),
    { numRuns: matrixRuns(20, 100) },
  );
});
