import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Frame, Framer, frontendMessage } from '../../../src/db/embedded/framing.ts';

function startup(): Buffer {
  const bytes = Buffer.alloc(8 + 16);
  bytes.writeInt32BE(bytes.length, 0);
  bytes.writeInt32BE(196608, 4);
  return bytes;
}

function request(code: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(8, 0);
  bytes.writeInt32BE(code, 4);
  return bytes;
}

function message(type: string, length: number): Buffer {
  const bytes = Buffer.alloc(5 + length, 0x58);
  bytes.write(type, 0, 'latin1');
  bytes.writeInt32BE(4 + length, 1);
  return bytes;
}

function bytesOf(frames: Frame[]): Buffer {
  return Buffer.concat(frames.map((frame) => ('bytes' in frame ? frame.bytes : Buffer.alloc(0))));
}

describe('Framer', () => {
  test('hands over whole messages only, wherever the stream is cut', () => {
    const messages = fc.array(fc.tuple(fc.constantFrom('P', 'B', 'D', 'E', 'S', 'Q', 'H'), fc.nat(60)), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(1000), { maxLength: 12 }), (list, cuts) => {
        const parts = [startup(), ...list.map(([type, length]) => message(type, length))];
        const ends = new Set<number>();
        let total = 0;
        for (const part of parts) {
          total += part.length;
          ends.add(total);
        }
        const stream = Buffer.concat(parts);
        const framer = new Framer();
        const frames: Frame[] = [];
        const borders = [...new Set(cuts.map((cut) => cut % (total + 1)))].sort((a, b) => a - b);
        for (const [index, from] of [0, ...borders].entries()) {
          frames.push(...framer.push(stream.subarray(from, borders[index] ?? total)));
          expect(frames.length === 0 || ends.has(bytesOf(frames).length)).toBe(true);
        }
        expect(bytesOf(frames).equals(stream)).toBe(true);
      }),
    );
  });

  test('knows after which messages the engine says that it is ready', () => {
    const framer = new Framer();
    framer.push(startup());
    const complete = (...types: string[]) => framer.push(Buffer.concat(types.map((type) => message(type, 3))));
    expect(complete('P', 'B', 'E', 'S')).toMatchObject([{ kind: 'messages', complete: true }]);
    expect(complete('Q')).toMatchObject([{ kind: 'messages', complete: true }]);
    expect(complete('P', 'H')).toMatchObject([{ kind: 'messages', complete: false }]);
  });

  test('sees wishes for encryption before the startup packet, and the end', () => {
    const framer = new Framer();
    const kinds = (bytes: Buffer) => framer.push(bytes).map((frame) => frame.kind);
    expect(kinds(request(80877103))).toEqual(['encryption']);
    expect(kinds(request(80877104))).toEqual(['encryption']);
    expect(kinds(startup())).toEqual(['startup']);
    expect(kinds(Buffer.concat([message('Q', 3), message('X', 0)]))).toEqual(['messages', 'end']);
    expect(new Framer().push(request(80877102))).toEqual([{ kind: 'end' }]);
  });

  test('refuses what cannot be this protocol', () => {
    expect(() => new Framer().push(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toThrow('not PostgreSQL');
  });
});

describe('frontendMessage', () => {
  test('writes a simple query and a Sync', () => {
    expect(Buffer.from(frontendMessage('rollback')).toString('latin1')).toBe('Q\0\0\0\x0drollback\0');
    expect(Buffer.from(frontendMessage()).toString('latin1')).toBe('S\0\0\0\x04');
  });
});
