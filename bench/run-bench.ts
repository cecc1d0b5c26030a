/** Runs one bench by name. As a program, prints the bench's report as JSON. */
import type { Bench } from './harness/report.ts';

const BENCHES = {
  'chat-overhead': async () => (await import('./benches/chat-overhead.ts')).benchChatOverhead,
  extraction: async () => (await import('./benches/extraction.ts')).benchExtraction,
  'extraction-run': async () => (await import('./benches/extraction-run.ts')).benchExtractionRun,
  'chat-growth': async () => (await import('./benches/chat-growth.ts')).benchChatGrowth,
  'chat-hostile': async () => (await import('./benches/chat-hostile.ts')).benchChatHostile,
  'chat-streams': async () => (await import('./benches/chat-streams.ts')).benchChatStreams,
  'chat-throughput': async () => (await import('./benches/chat-throughput.ts')).benchChatThroughput,
  ensemble: async () => (await import('./benches/ensemble-growth.ts')).benchEnsembleGrowth,
  'event-parsing': async () => (await import('./benches/event-parsing.ts')).benchEventParsing,
  generate: async () => (await import('./benches/generate.ts')).benchGenerate,
  masking: async () => (await import('./benches/masking.ts')).benchMasking,
  memory: async () => (await import('./benches/memory.ts')).benchMemory,
  partials: async () => (await import('./benches/partials.ts')).benchPartials,
  schema: async () => (await import('./benches/schema.ts')).benchSchema,
  'schema-corpus': async () => (await import('./benches/schema-corpus.ts')).benchSchemaCorpus,
  'schema-hostile': async () => (await import('./benches/schema-hostile.ts')).benchSchemaHostile,
  'run-overhead': async () => (await import('./benches/run-overhead.ts')).benchRunOverhead,
  runs: async () => (await import('./benches/agent-runs.ts')).benchAgentRuns,
  'queued-runs': async () => (await import('./benches/queued-runs.ts')).benchQueuedRuns,
  'run-sandboxed': async () => (await import('./benches/run-sandboxed.ts')).benchRunSandboxed,
} as const satisfies Record<string, () => Promise<Bench>>;

const SIZE = '--size=';

/** Every bench, in the order of the report. */
export const BENCH_NAMES: readonly string[] = Object.keys(BENCHES);

async function main(
  name: keyof typeof BENCHES,
  { isQuick, size }: { readonly isQuick: boolean; readonly size: number | undefined },
): Promise<void> {
  const bench = await BENCHES[name]();
  const startedAt = performance.now();
  const progress = (message: string): void => {
    console.error(`[${name} ${((performance.now() - startedAt) / 1000).toFixed(1)} s] ${message}`);
  };
  const report = await bench({ isQuick, progress, ...(size !== undefined && { size }) });
  progress('done');
  console.log(JSON.stringify(report));
}

if (import.meta.main) {
  const [, , name = '', ...flags] = process.argv;
  const size = flags.find((flag) => flag.startsWith(SIZE))?.slice(SIZE.length);
  const options = { isQuick: flags.includes('--quick'), size: size === undefined ? undefined : Number(size) };
  await main(name as keyof typeof BENCHES, options); // bench.ts passes a name of `BENCH_NAMES`.
}
