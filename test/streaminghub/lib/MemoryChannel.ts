import type { HubChannel, HubStream, HubStreamEvents } from "msgpack-wasm/streaminghub";
import { type ClientSent, readFromClient, type ServerSent, writeToClient } from "./wire.ts";

/** A server in the hands of a test: what it does not do does not happen. */
export class MemoryChannel implements HubChannel {
  readonly received: ClientSent[] = [];
  path = "";
  events!: HubStreamEvents;
  isClosed = false;
  isCancelled = false;

  openHubStream(path: string, events: HubStreamEvents): HubStream {
    this.path = path;
    this.events = events;
    queueMicrotask(() => events.accepted("2"));
    return {
      send: (message) => this.received.push(readFromClient(message)),
      close: () => {
        this.isClosed = true;
        events.ended({ status: 0, detail: "" });
      },
      cancel: () => {
        this.isCancelled = true;
        events.ended({ status: 1, detail: "cancelled" });
      },
    };
  }

  send(message: ServerSent): void {
    this.events.message(writeToClient(message));
  }
}
