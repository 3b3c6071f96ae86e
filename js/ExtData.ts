/** An extension value of a type that no codec knows: MessagePack specification, "Extension types". */
export class ExtData {
  static readonly name = "ExtData";
  /** The type, −128 to 127. Negative ones are MessagePack's own. */
  readonly type: number;
  /**
   * The payload; or, for encoding, a function that makes it: it gets the offset in bytes that the payload will have
   * from the start of the message.
   */
  readonly data: Uint8Array | ((position: number) => Uint8Array);

  constructor(type: number, data: Uint8Array | ((position: number) => Uint8Array)) {
    this.type = type;
    this.data = data;
  }
}
