/** The first item of each hub message (SignalR's hub protocol). The values are those of `@microsoft/signalr`. */
export const MessageType = {
  INVOCATION: 1,
  STREAM_ITEM: 2,
  COMPLETION: 3,
  STREAM_INVOCATION: 4,
  CANCEL_INVOCATION: 5,
  PING: 6,
  CLOSE: 7,
  ACK: 8,
  SEQUENCE: 9,
} as const;

/** The item of a completion that says what its last one is. */
export const ResultKind = { ERROR: 1, VOID: 2, VALUE: 3 } as const;
