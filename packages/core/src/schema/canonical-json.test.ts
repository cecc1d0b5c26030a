import { describe, expect, it } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import { canonicalJson } from './canonical-json.ts';

/** Sections 3.2.2 and 3.2.3 of RFC 8785. */
const RFC_EXAMPLES: readonly [value: unknown, text: string][] = [
  [
    {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002F',
      literals: [null, true, false],
    },
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  [
    {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    },
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
];

/** Appendix B of RFC 8785: IEEE 754 bits, and the text of the number. */
const RFC_NUMBERS: readonly [bits: string, text: string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
];

describe('canonicalJson', () => {
  it.each(RFC_EXAMPLES)('writes the examples of RFC 8785 (%#)', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each(RFC_NUMBERS)('writes the number %s as %s', (bits, text) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${bits}`));
    expect(canonicalJson(view.getFloat64(0))).toBe(text);
  });

  it('writes an own `__proto__` like any other key', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2}'))).toBe('{"__proto__":2,"b":1}');
  });

  it('accepts a value of any depth', () => {
    let value: unknown = 0;
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    expect(canonicalJson(value)).toHaveLength(400_001);
  });

  it('accepts the same object twice if it has no cycle', () => {
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  const refused: readonly unknown[] = [
    undefined,
    { a: undefined },
    [1, , 2], // oxlint-disable-line no-sparse-arrays -- a hole is what is tested
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '\ud800',
    { '\udc00': 1 },
    1n,
    Symbol('s'),
    () => 1,
    new Date(0),
    new Map(),
    cycle,
  ];
  it.each(refused.map((value) => [value]))('refuses values that are not JSON (%#)', (value) => {
    expect(() => canonicalJson(value)).toThrow(UsageError);
  });
});

describe('shared objects', () => {
  const share = (levels: number): unknown => {
    let value: unknown = { a: 'x' };
    for (let level = 0; level < levels; level += 1) value = [value, value];
    return value;
  };

  it('are written if they are few', () => {
    expect(canonicalJson(share(3))).toBe(JSON.stringify(share(3)));
  });

  it('are refused if the text would be endless', () => {
    expect(() => canonicalJson(share(200))).toThrowError(expect.objectContaining({ code: 'too-much-work' }));
  });
});
