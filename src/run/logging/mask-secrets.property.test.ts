import { array, assert, constantFrom, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import { createSecretMask } from './mask-secrets.ts';

const SECRETS = ['aaaaaaaa', 'aaaabbbb', 'aaaabbbbaaaa', 'babababab', 'bbbbaaaabbbbaa'];

test('masks the same however the text is cut', () => {
  const text = array(constantFrom('a', 'b', 'aaaa', 'bbbb', 'x', ...SECRETS), { maxLength: 12 });
  assert(
    property(text, array(nat({ max: 9 }), { minLength: 1, maxLength: 8 }), (pieces, sizes) => {
      const whole = pieces.join('');
      const { mask, stream } = createSecretMask(SECRETS);
      const pieceByPiece = stream();
      let out = '';
      for (let at = 0, turn = 0; at < whole.length; turn += 1) {
        const size = 1 + (sizes[turn % sizes.length] ?? 0);
        out += pieceByPiece.push(whole.slice(at, at + size));
        at += size;
      }
      expect(out + pieceByPiece.end()).toBe(mask(whole));
    }),
    { numRuns: 2_000 },
  );
});
