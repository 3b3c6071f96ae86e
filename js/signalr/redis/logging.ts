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

/** Whoever calls it has no use for what the logger throws: that goes to the console. */
export function warn(logger: ILogger, what: string, error: unknown): void {
  try {
    logger.log(
      WARNING,
      `msgpack-wasm/signalr/redis: ${what}: ${error instanceof Error ? error.message : error}`,
    );
  } catch (thrown) {
    console.error("msgpack-wasm/signalr/redis: the logger has thrown", thrown, `when it was told of ${what}`);
  }
}
