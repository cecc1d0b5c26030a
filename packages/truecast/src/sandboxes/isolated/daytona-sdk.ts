/**
 * Types for the used parts of `@daytona/sdk`. A type test compares them with the package's types.
 */

export interface DaytonaMachine {
  getWorkDir(): Promise<string | undefined>;
  readonly process: {
    createSession(sessionId: string): Promise<void>;
    executeSessionCommand(
      sessionId: string,
      request: { command: string; runAsync: boolean },
    ): Promise<{ readonly cmdId?: string }>;
    getSessionCommandLogs(
      sessionId: string,
      commandId: string,
      onStdout: (chunk: string) => void,
      onStderr: (chunk: string) => void,
    ): Promise<void>;
    getSessionCommand(sessionId: string, commandId: string): Promise<{ readonly exitCode?: number }>;
    deleteSession(sessionId: string): Promise<void>;
  };
  readonly fs: {
    uploadFile(file: Buffer, remotePath: string): Promise<void>;
    downloadFile(remotePath: string, localPath: string): Promise<void>;
  };
}

export interface DaytonaClient<TMachine extends DaytonaMachine = DaytonaMachine> {
  create(params?: object): Promise<TMachine>;
  delete(machine: TMachine): Promise<void>;
}
