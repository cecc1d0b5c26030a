/**
 * Metrics over `@opentelemetry/api`, which is an optional peer dependency, in the names of the GenAI
 * conventions. The page of `/metrics` does not depend on them.
 */
import type * as OpenTelemetry from '@opentelemetry/api';
import type { ObservedReceipt } from '../contract/observed-work.ts';
import type { ObservedCall } from '../models/observed-step.ts';
import { AGENT_PREFIX } from '../models/observed-agent.ts';

/** Counts work. It never throws. */
export interface OtelMetrics {
  observeCall(call: ObservedCall): void;
  observeReceipt(receipt: ObservedReceipt): void;
}

/** Bounds of the conventions. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = Array.from({ length: 14 }, (_none, power) => 4 ** power);

/** Counts nothing. */
const noMetrics: OtelMetrics = { observeCall: () => undefined, observeReceipt: () => undefined };

/** Returns the metrics of the installed API. */
export async function openOtelMetrics(): Promise<OtelMetrics> {
  try {
    return metricsOf(await import('@opentelemetry/api'));
  } catch {
    return noMetrics;
  }
}

function metricsOf({ metrics }: typeof OpenTelemetry): OtelMetrics {
  const meter = metrics.getMeter('@truecast/server');
  const durations = meter.createHistogram('gen_ai.client.operation.duration', {
    description: 'Duration of model calls, failed ones included.',
    unit: 's',
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Tokens of a model call.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  const answers = meter.createCounter('truecast.answers', {
    description: 'Requests with a response format that ended.',
    unit: '{answer}',
  });
  return {
    observeCall(call) {
      const attributes = attributesOf(call);
      durations.record(call.durationMs / 1_000, { ...attributes, ...errorOf(call) });
      const { usage } = call;
      if (call.outcome === 'failed' || usage === undefined) return;
      tokens.record(usage.inputTokens, { ...attributes, 'gen_ai.token.type': 'input' });
      tokens.record(usage.outputTokens, { ...attributes, 'gen_ai.token.type': 'output' });
    },
    observeReceipt: ({ status, reason, mode }) =>
      answers.add(1, {
        'truecast.status': status,
        ...(reason !== undefined && { 'truecast.code': reason }),
        ...(mode !== undefined && { 'truecast.mode': mode }),
      }),
  };
}

/** A provider is required by the conventions. A coding agent has none that the server knows. */
function attributesOf({ model, provider = '_OTHER' }: ObservedCall): OpenTelemetry.Attributes {
  return {
    'gen_ai.operation.name': model.startsWith(AGENT_PREFIX) ? 'invoke_agent' : 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  };
}

function errorOf({ outcome, error }: ObservedCall): OpenTelemetry.Attributes {
  if (outcome !== 'failed') return {};
  return { 'error.type': error instanceof Error ? error.name : '_OTHER' };
}
