import { encode } from "../encode.ts";
import { methodId } from "./methodId.ts";

/** A method as messages name it. */
export class HubMethod {
  readonly name: string;
  readonly id: number;
  /** The id in MessagePack, which all calls of the method share. */
  readonly idBytes: Uint8Array;
  /** Whether the last call was short: the next one is taken to be so, too. */
  isSmall = true;
  /** The call without arguments and answer, which is always the same, once there was one. */
  notification: Uint8Array<ArrayBuffer> | null = null;

  constructor(name: string, id: number) {
    this.name = name;
    this.id = id;
    this.idBytes = encode(id);
  }
}

/** How the names of methods become those that the server has, or ids. */
export interface MethodNaming {
  /**
   * The name on the server. Default: the same with a capital letter at the start, as is usual in C#. It may be written
   * so here, too.
   */
  methodName?: (name: string) => string;
  /** The ids of methods, of the hub and of the receiver, for which the server sets one: by their names here. */
  methodIds?: Readonly<Record<string, number>>;
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** @throws RangeError if an id that the options give is no integer of 32 bits */
export function hubMethod(name: string, naming: MethodNaming): HubMethod {
  const { methodIds, methodName = capitalized } = naming;
  const serverName = methodName(name);
  const id =
    methodIds !== undefined && Object.hasOwn(methodIds, name) ? methodIds[name] : methodId(serverName);
  if ((id | 0) !== id) throw new RangeError(`The id of method ${name} must be an integer of 32 bits: ${id}`);
  return new HubMethod(serverName, id);
}
