/** A permission of LND: an entity such as `offchain`, and what may be done to it. */
interface MacaroonPermission {
  readonly entity: string;
  readonly actions: readonly string[];
}

/**
 * The permissions written into an LND macaroon (binary format 2; the identifier is a byte 3 and a protobuf message).
 * Caveats can only take away from them. @returns undefined when it is none.
 */
export function readMacaroon(bytes: Uint8Array): readonly MacaroonPermission[] | undefined {
  try {
    const identifier = identifierOf(new Reader(bytes));
    if (identifier?.[0] !== 3) return undefined;
    return fieldsOf(identifier.subarray(1))
      .filter(({ number }) => number === 3)
      .map(({ value }) => {
        const members = fieldsOf(value);
        const words = (number: number) =>
          members.filter((member) => member.number === number).map((member) => Buffer.from(member.value).toString());
        return { entity: words(1)[0] ?? '', actions: words(2) };
      });
  } catch {
    return undefined;
  }
}

const spendingCall = /Send|Pay|Open|Close|Withdraw|Bake|Fund|Sign|Publish|Sweep|Bump/;

/** Whether somebody with these permissions could move money, or make a macaroon that does. */
export function canMoveMoney(permissions: readonly MacaroonPermission[]): boolean {
  return permissions.some(({ entity, actions }) => {
    if (entity === 'uri') return actions.some((action) => spendingCall.test(action));
    const isSpending = ['offchain', 'onchain', 'signer'].includes(entity);
    if (entity === 'signer') return actions.length > 0;
    return (isSpending && actions.includes('write')) || (entity === 'macaroon' && actions.length > 0);
  });
}

/** Format 2: a version byte, then fields of type, length and content, closed by a zero; type 2 is the identifier. */
function identifierOf(reader: Reader): Uint8Array | undefined {
  if (reader.number() !== 2) return undefined;
  for (let type = reader.number(); type !== 0; type = reader.number()) {
    const content = reader.bytes(reader.number());
    if (type === 2) return content;
  }
  return undefined;
}

/** Fields of a protobuf message that hold bytes; numbers are read over. */
function fieldsOf(message: Uint8Array): { number: number; value: Uint8Array }[] {
  const reader = new Reader(message);
  const fields: { number: number; value: Uint8Array }[] = [];
  while (!reader.isAtEnd) {
    const key = reader.number();
    if ((key & 7) === 0) reader.number();
    else if ((key & 7) === 2) fields.push({ number: key >> 3, value: reader.bytes(reader.number()) });
    else throw new RangeError('No such field in a macaroon');
  }
  return fields;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A varint of at most four bytes. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new RangeError('The macaroon ends in the middle of a number');
  }

  bytes(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new RangeError('The macaroon ends too early');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
