/**
 * Process that runs turns of a store, under a lease that outlasts every test. Its arguments are the
 * addresses of the store and the model. Each span that ends is a line of its stdout.
 */
import { flushCompileCache } from 'node:module';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { openWorker } from '../../packages/server/src/serve/open-worker.ts';

const done = (): Promise<void> => Promise.resolve();
const lines: SpanProcessor = {
  onStart: () => undefined,
  onEnd: (span: ReadableSpan) => {
    const { name, parentSpanContext, attributes } = span;
    const { traceId, spanId } = span.spanContext();
    const line = { name, traceId, spanId, parentId: parentSpanContext?.spanId, attributes };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  },
  forceFlush: done,
  shutdown: done,
};
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [lines] }));

const [databaseUrl = '', modelUrl = ''] = process.argv.slice(2);

await openWorker({
  databaseUrl,
  models: [],
  config: {},
  environment: { TRUECAST_BASE_URL: modelUrl, TRUECAST_MODEL: 'scripted' },
  leaseMs: 24 * 60 * 60_000,
  writeLog: (line) => process.stderr.write(`${line}\n`),
});
// It is killed, and a later one reads this.
flushCompileCache();
