/** Observer of a process's work: each call, turn, receipt and answer is counted and logged. */
import type { ListenHttpOptions } from '../http/app/listen-http.ts';
import type { ServerLog } from '../log/server-log.ts';
import * as lines from '../log/work-log.ts';
import type { ChangeObserver } from '../metrics/measured-machine.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { OpenAIPorts } from '../openai/openai-ports.ts';
import type { TurnPorts } from '../runner/turn-ports.ts';
import type { OtelMetrics } from '../metrics/otel-metrics.ts';
import type { QuotaSettings } from '../contract/quotas.ts';
import type { RunSettings } from '../runs/state/run-context.ts';
import type { RunWorkerPorts } from '../runs/workers/run-scheduler.ts';
import type { ChatMachineOptions } from '../state/chat-machine.ts';
import { uncountedQuotas } from './uncounted-quotas.ts';

/** Observers of all parts of the server. They never throw. */
export type WorkObserver = Required<
  Pick<TurnPorts, 'onModelCall' | 'onToolCall'> &
    Pick<ChangeObserver, 'onTurn'> &
    Pick<ChatMachineOptions, 'onReceipt'> &
    Pick<RunSettings, 'onRunEnd'> &
    Pick<RunWorkerPorts, 'onCleanUp'> &
    Pick<OpenAIPorts, 'onAnswer'> &
    Pick<ListenHttpOptions, 'onRequest'>
>;

export interface WorkSinks {
  readonly metrics: ServerMetrics;
  readonly log: ServerLog;
  readonly otel: OtelMetrics;
  readonly quotas: QuotaSettings | undefined;
}

/** Creates the observer. Requests and turns are counted where they are measured. */
export function observeWork({ metrics, log, otel, quotas }: WorkSinks): WorkObserver {
  const warnOfUncounted = uncountedQuotas(quotas, log);
  return {
    onModelCall: (call) => {
      metrics.observeCall(call);
      otel.observeCall(call);
      lines.logModelCall(log, call);
      warnOfUncounted(call);
    },
    onToolCall: (call) => lines.logToolCall(log, call),
    onTurn: (turn) => lines.logTurn(log, turn),
    onReceipt: (receipt) => {
      metrics.observeReceipt(receipt);
      otel.observeReceipt(receipt);
      lines.logReceipt(log, receipt);
    },
    onRunEnd: (run) => {
      metrics.observeRun(run);
      lines.logRun(log, run);
    },
    onCleanUp: (removed) => {
      metrics.observeCleanUp(removed);
      lines.logCleanUp(log, removed);
    },
    onAnswer: (answer) => {
      metrics.observeAnswer(answer);
      lines.logAnswer(log, answer);
    },
    onRequest: (request) => lines.logRequest(log, request),
  };
}
