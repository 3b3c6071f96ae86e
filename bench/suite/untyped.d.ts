/** Peers and tools that come without types. */
declare module "benchmark";
declare module "lodash";
declare module "msgpack-lite";
declare module "msgpack5";
