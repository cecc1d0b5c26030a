/**
 * Program that `kill.test.ts` kills: plays the four-member ensemble on a file, resumes after an
 * interruption, and prints each event.
 */
import { createEnsemble, resumeEnsemble } from '../../packages/ensemble/src/conductor/ensemble.ts';
import { options } from '../../packages/ensemble/src/conductor/test-ensemble.ts';
import { FOUR, four } from '../../packages/ensemble/src/conductor/test-four.ts';
import { openLedger } from '../../packages/ensemble/src/ledger/open-ledger.ts';

const [, , url = '', turns = ''] = process.argv;
const ledger = await openLedger({ url, cast: FOUR });
const limits = { calls: 10_000, turns: Number(turns), cascade: 3 };
const parts = options(FOUR, four(Number(turns)), {
  ledger,
  limits,
  scenarioChange: { competition: { kind: 'judged' } },
  onEvent: () => void process.stdout.write('.'),
});
const isBegun = (await ledger.runs()).length > 0;
const ensemble = await (isBegun ? resumeEnsemble(parts) : createEnsemble(parts));
await ensemble.run();
await ledger.close();
