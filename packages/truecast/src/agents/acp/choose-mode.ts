/** Mode of an agent's session: which modes it offers, and which one a run asks for. Pure. */
import type { NewSessionResponse, SessionConfigOption } from '@agentclientprotocol/sdk/unstable';

export interface OfferedModes {
  readonly current: string;
  readonly ids: readonly string[];
  /** Id of the configuration option, for agents that offer their modes only in that way. */
  readonly configId?: string;
}

/**
 * Modes in which an agent never refuses its own tools, the most open first: Claude's, those of both
 * Codex adapters, and that of Qwen Code, Kimi Code and Gemini CLI. Modes that also change how long
 * an agent works are not among them.
 */
const OPEN_MODES = ['bypassPermissions', 'agent-full-access', 'full-access', 'yolo'] as const;

/** Returns the modes of an opened session, or undefined if it has none. */
export function offeredModes({
  modes,
  configOptions,
}: Pick<NewSessionResponse, 'modes' | 'configOptions'>): OfferedModes | undefined {
  if (modes !== undefined && modes !== null) {
    return { current: modes.currentModeId, ids: modes.availableModes.map(({ id }) => id) };
  }
  const option = configOptions?.find(({ category, id }) => category === 'mode' || id === 'mode');
  if (option?.type !== 'select') return undefined;
  return { current: option.currentValue, ids: valuesOf(option), configId: option.id };
}

function valuesOf({ options }: Extract<SessionConfigOption, { type: 'select' }>): readonly string[] {
  return options.flatMap((entry) =>
    'value' in entry ? [entry.value] : entry.options.map(({ value }) => value),
  );
}

/** Returns the most open mode, or undefined if no known one is offered. */
export function openMode({ ids }: OfferedModes): string | undefined {
  return OPEN_MODES.find((mode) => ids.includes(mode));
}

/** Returns the id of a mode by its id, or by the last part of an id that is an address. */
export function findMode({ ids }: OfferedModes, mode: string): string | undefined {
  return ids.includes(mode) ? mode : ids.find((id) => id.endsWith(`#${mode}`));
}
