/**
 * Command of the mutants: `npm run proof:guarantees` tries all, `-- NAME…` some. Exits with 1 if one
 * survives or no longer applies.
 */
import { copySources, listMutants } from './mutants.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const names = process.argv.slice(2);
const mutants = listMutants().filter(({ name }) => names.length === 0 || names.includes(name));
await using copy = await copySources();
const broken = await copy.failWithout(mutants);
for (const name of broken) say(`${name}: its test fails without the mutant`);
let killed = 0;
for (const mutant of mutants.filter(({ name }) => !broken.includes(name))) {
  const verdict = await copy.try(mutant);
  say(`${mutant.name}: ${verdict}`);
  if (verdict === 'killed') killed += 1;
}
say(`${killed} of ${mutants.length} killed`);
process.exitCode = killed === mutants.length && killed > 0 ? 0 : 1;
