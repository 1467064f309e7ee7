/** An LND macaroon with these permissions, in hex; its signature is nobody's. */
export function writeMacaroon(permissions: Readonly<Record<string, readonly string[]>>): string {
  const field = (number: number, content: Uint8Array) =>
    Buffer.concat([Buffer.of((number << 3) | 2), Buffer.of(content.length), content]);
  const operations = Object.entries(permissions).map(([entity, actions]) =>
    field(3, Buffer.concat([field(1, Buffer.from(entity)), ...actions.map((action) => field(2, Buffer.from(action)))])),
  );
  const identifier = Buffer.concat([
    Buffer.of(3),
    field(1, Buffer.alloc(16, 7)),
    field(2, Buffer.from('0')),
    ...operations,
  ]);
  const length =
    identifier.length < 128
      ? Buffer.of(identifier.length)
      : Buffer.of((identifier.length & 127) | 128, identifier.length >> 7);
  const location = Buffer.concat([Buffer.of(1, 3), Buffer.from('lnd')]);
  return Buffer.concat([
    Buffer.of(2),
    location,
    Buffer.of(2),
    length,
    identifier,
    Buffer.of(0, 0, 6, 32),
    Buffer.alloc(32, 9),
  ]).toString('hex');
}
