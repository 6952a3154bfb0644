/** Protobuf as test senders write it: independent of the code under test. */

/** A field of bytes, text or an inner message. */
export function field(number: number, content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes]);
}

export function varintField(number: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(number << 3)), varint(value)]);
}

export function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = (number << 3) | 1;
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}

export function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest >= 128n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
