/** Sample of the landing page: a scenario of several agents, each event of which is stored. */
import { playEnsemble } from '@truecast/ensemble';

// ensembles/scenarios/museum-boat.yaml: three keepers, a judge, one place in the boat
const { end, verdict, calls } = await playEnsemble('ensembles', 'museum-boat', {
  seed: 'a spring flood at four in the morning',
  databaseUrl: 'boat.sqlite', // stop, resume and replay the run
  limits: { turns: 6, usdPerHour: 2 },
  onEvent: ({ actor, payload }) => {
    console.log(actor, payload['text']);
  },
});
console.log(end?.winner ?? 'no winner', verdict?.text, calls);
