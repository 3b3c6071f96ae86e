import type { ILogger } from "@microsoft/signalr";

/** `LogLevel.Warning` of `@microsoft/signalr`. */
const WARNING = 3;

const toConsole: ILogger = {
  log(level, message) {
    if (level >= WARNING) console.warn(message);
  },
};

const toNobody: ILogger = { log() {} };

/** The logger that an option names: null for none, and by default the console, for what is a warning or more. */
export function loggerOf(logger: ILogger | null | undefined): ILogger {
  return logger === undefined ? toConsole : (logger ?? toNobody);
}

export function warn(logger: ILogger, what: string, error: unknown): void {
  logger.log(
    WARNING,
    `msgpack-wasm/signalr/redis: ${what}: ${error instanceof Error ? error.message : error}`,
  );
}
